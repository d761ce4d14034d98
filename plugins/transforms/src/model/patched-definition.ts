import type { Input } from '@weir/kernel/contract';
import type { changeTransform, DefinitionView, TransformOriginView } from '../contract.ts';
import { isSame } from './definition.ts';
import { assertMaterializing } from './materialization.ts';

type Body = Input<typeof changeTransform>['body'];
type Patch = Pick<Body, 'sql' | 'output' | 'materialization' | 'key' | 'partition_by' | 'incremental' | 'checks'> & {
  origin?: TransformOriginView;
};

/** The definition that a merge patch makes of another. Throws `materialization_refused`. */
export function patchedDefinition(before: DefinitionView, patch: Patch): DefinitionView {
  const { sql = before.sql, output = before.output, materialization = before.materialization } = patch;
  const { incremental = before.incremental } = patch;
  const written = {
    ...{ sql, materialization, incremental },
    key: patch.key === undefined ? before.key : [...(patch.key ?? [])],
    partition_by: patch.partition_by === undefined ? before.partition_by : [...(patch.partition_by ?? [])],
  };
  assertMaterializing({ ...written, partitionBy: written.partition_by });
  // A statement that is changed by hand is no longer what its form made.
  const isRewritten = !isSame({ ...before, ...written }, before);
  return {
    ...{ ...written, output },
    checks: patch.checks === undefined ? before.checks : [...(patch.checks ?? [])],
    origin: patch.origin ?? (isRewritten ? null : before.origin),
  };
}
