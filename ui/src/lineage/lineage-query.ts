import type { Input } from '@weir/kernel/contract';
import type { getLineage } from '@weir/plugin-lineage/contract';
import type { LineageChoice } from './lineage-controls.tsx';

type Query = NonNullable<Input<typeof getLineage>['query']>;

/** What is asked of the graph around a table. */
export function lineageQuery({ depth, direction, column }: LineageChoice): Query {
  const query: Query = {};
  if (depth !== undefined) query.depth = Number(depth);
  if (direction !== undefined) query.direction = direction as NonNullable<Query['direction']>;
  if (column !== undefined) query.column = column;
  return query;
}
