import { Type } from '@sinclair/typebox';

/** Settings of schedules, whatever they run. */
export const settings = Type.Object({
  WEIR_SCHEDULE_MIN_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 60,
    description: 'How far apart two runs of a schedule must be at least',
  }),
});
