import type { Input } from '@weir/kernel/contract';
import type { suggestFieldMappings } from '../../contract/suggest.ts';
import type { Field, Target } from '../../model/fields/field.ts';
import type { AskContext } from '../assist.ts';
import type { DatasetSight } from '../sight/datasets.ts';
import { namedTarget } from '../sight/targets.ts';
import { sourceOf } from '../tasks/field-mappings.ts';

/** What a match works on, from its start on: no values, which the worker reads. */
export interface MatchRequest {
  dataset_id: string | null;
  source: readonly Field[];
  target: Target;
}

export async function matchRequestOf(
  { datasets }: { datasets: DatasetSight },
  { tenant, call }: Pick<AskContext, 'tenant' | 'call'>,
  body: Pick<Input<typeof suggestFieldMappings>['body'], 'source' | 'target'>,
): Promise<MatchRequest> {
  const [target, { fields, seen }] = await Promise.all([
    namedTarget(call, body.target),
    sourceOf({ datasets }, tenant, body.source),
  ]);
  return { dataset_id: seen?.dataset_id ?? null, source: fields, target };
}
