import type { Tenant } from '@weir/kernel/contract';
import { type DefinitionView, transformProblems } from '../../contract.ts';
import { type ArtifactContent, runtimeOf } from '../../model/artifact-content.ts';
import { compileCheck } from '../../model/checks/compile-check.ts';
import { lineageOf, readsOf } from '../../model/lineage.ts';
import { assertFitting, assertIncrement, incrementOf } from '../../model/materialization.ts';
import { type PinInputs, pinRead } from '../select/pin-each.ts';
import type { SelectAsks } from '../select/select-asks.ts';
import type { Selects } from '../select/selects.ts';

export interface ContentDeps {
  inputs: PinInputs;
  selects: Pick<Selects, 'within'>;
}

/** What a run carries out, worked out against the inputs as they are now. */
export function contentOf(
  { inputs, selects }: ContentDeps,
  tenant: Tenant,
  definition: DefinitionView,
  signal: AbortSignal,
): Promise<ArtifactContent> {
  return selects.within({ signal }, (asks) => askedContent({ inputs, asks }, tenant, definition));
}

async function askedContent(
  { inputs, asks }: { inputs: PinInputs; asks: Pick<SelectAsks, 'read' | 'describe'> },
  tenant: Tenant,
  definition: DefinitionView,
): Promise<ArtifactContent> {
  const { sql, output, materialization, key, partition_by: partitionBy, incremental, checks } = definition;
  const written = { materialization, key, partitionBy, incremental };
  const compiled = checks.map((check) => compileCheck(check, new Date()));
  const read = await asks.read(sql, compiled);
  const named = read.inputs;
  if (named.some((id) => id.toLowerCase() === output.toLowerCase())) throw transformProblems.outputIsInput();
  const pins = await pinRead({ inputs, isDeclaredEnough: true }, tenant, read);
  const asked = { sql, inputs: pins, checks: compiled, increment: incrementOf(written) };
  const { columns, lineage, increment, clock, chance } = await asks.describe(asked);
  assertFitting(written, { columns, inputs: named });
  assertIncrement(written, increment);
  const traced = lineageOf(sql, columns, lineage);
  const how = {
    materialization,
    ...(key.length > 0 ? { key } : {}),
    ...(partitionBy.length > 0 ? { partition_by: partitionBy } : {}),
    ...(incremental ? { incremental: incremental.toLowerCase() } : {}),
  };
  return {
    ...{ runtime: runtimeOf(how), sql, output, ...how, inputs: named },
    columns: columns.map(({ name, type }) => ({ name, type })),
    reads: readsOf(traced, pins),
    lineage: traced,
    ...(checks.length === 0 ? {} : { checks }),
    ...(clock.length === 0 ? {} : { clock: [...clock] }),
    ...(chance.length === 0 ? {} : { chance: [...chance] }),
  };
}
