import { Type } from '@sinclair/typebox';

/** Environment variables of this plugin. */
export const settings = Type.Object({
  WEIR_PLATFORM: Type.String({
    default: 'platform.json',
    description: 'The deployment manifest; names the pattern folders',
  }),
  WEIR_SCHEMA_LIBRARIES: Type.String({
    default: 'libraries',
    description: 'Folder of the schema libraries beside our own, relative to the deployment manifest',
  }),
});
