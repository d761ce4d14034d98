import { type Static, Type } from '@sinclair/typebox';
import { OneOf } from '@weir/kernel/contract';

export const ORIGIN_KINDS = ['transform_pattern', 'sql_transform'] as const;

/** The form that a statement was made from, so that it can be opened again. */
export const TransformOrigin = Type.Object({
  kind: OneOf(ORIGIN_KINDS),
  pattern_id: Type.String({ description: 'Id of the transform pattern or SQL transform' }),
  version: Type.String({ description: 'Version of its package' }),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  checks: Type.Optional(
    Type.Array(Type.String(), { description: 'The checks that it made, by name; other parameters make them anew' }),
  ),
});
export type TransformOriginView = Static<typeof TransformOrigin>;
