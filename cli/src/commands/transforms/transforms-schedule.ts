import { listTransforms, transformSchedules } from '@weir/plugin-transforms/contract';
import { idOf } from '../../command/named-id.ts';
import { scheduleCommands } from '../../command/schedule-commands.ts';

/** The commands about the schedule of one transform. */
export const transformScheduleCommands = scheduleCommands({
  ...{ category: 'Transforms', words: ['transforms', 'schedule'], endpoints: transformSchedules },
  idOf: (api, given) => idOf(api, listTransforms, 'transform_id', given),
  examples: [
    ['Every morning at seven', 'weir transforms schedule set sales_by_day --cron "0 7 * * *" --tz Europe/Kyiv'],
    ['Every hour, at a quarter past', 'weir transforms schedule set sales_by_day --every 1h --offset 15m'],
  ],
});
