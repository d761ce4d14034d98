import { type Static, Type } from '@sinclair/typebox';

/** Environment variables of this plugin. */
export const settings = Type.Object({
  WEIR_PLATFORM: Type.String({
    default: 'platform.json',
    description: 'The deployment manifest; names the pattern folders',
  }),
});
export type Settings = Static<typeof settings>;
