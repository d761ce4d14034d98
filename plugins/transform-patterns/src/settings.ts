import { Type } from '@sinclair/typebox';

/** Environment variables of this plugin; declared as plugin sources does. */
export const settings = Type.Object({
  WEIR_PLATFORM: Type.String({
    default: 'platform.json',
    description: 'The deployment manifest; names the pattern folders',
  }),
});
