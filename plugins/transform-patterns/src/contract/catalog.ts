import { Type } from '@sinclair/typebox';
import { Nullable, OneOf } from '@weir/kernel/contract';

export const PatternId = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,62}$',
  description: 'Id of a transform pattern or SQL transform',
});
export const Category = Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$' });
export const Parameters = Type.Record(Type.String(), Type.Unknown(), { description: 'Parameters, by the schema' });
export const Schema = Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the parameters' });

/** What keeps a transform package, or a part of it, from being used. */
export const PackageFault = Type.Object({
  package: Type.String({ description: 'Name of its folder' }),
  pointer: Type.String({ description: 'The file and the place in it' }),
  code: Type.String(),
  message: Type.String(),
});

export const Categories = Type.Object({
  items: Type.Array(Type.Object({ category: Category, count: Type.Integer({ minimum: 1 }) })),
  next_page_token: Nullable(Type.String()),
  total: Nullable(Type.Integer()),
});

/** What reading the packages again has changed. */
export const SyncResult = Type.Object({
  items: Type.Array(
    Type.Object({
      kind: OneOf(['transform_pattern', 'sql_transform']),
      pattern_id: PatternId,
      version: Type.String(),
      outcome: OneOf(['created', 'updated', 'unchanged', 'removed']),
    }),
  ),
  faults: Type.Array(PackageFault),
});
