import { Type } from '@sinclair/typebox';

/** Environment variables of the datasets plugin. */
export const settings = Type.Object({
  TABLE_CATALOG: Type.String({ default: 'weir', pattern: '^[A-Za-z0-9_]{1,64}$' }),
  TABLE_CATALOG_URI: Type.Optional(
    Type.String({ pattern: '^postgresql:$', description: 'Only the built-in catalog, postgresql:, in this release' }),
  ),
  WEIR_WAREHOUSE: Type.String({ minLength: 1, description: 'Folder below which the tables lie' }),
});
