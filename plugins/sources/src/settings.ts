import { type Static, Type } from '@sinclair/typebox';

/** Environment variables of this plugin. */
export const settings = Type.Object({
  WEIR_PLATFORM: Type.String({
    default: 'platform.json',
    description: 'The deployment manifest; names the pattern folders',
  }),
  WEIR_SYNC_COMMIT_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 60,
    description: 'A stream that has a STATE is committed when this much time has gone by',
  }),
});
export type Settings = Static<typeof settings>;
