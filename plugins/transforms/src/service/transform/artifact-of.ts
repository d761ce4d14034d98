import { kernelProblems, Problem, type Tenant } from '@weir/kernel/contract';
import { datasetProblems, type InputsService, type PinnedInput } from '@weir/plugin-datasets/contract';
import { type DefinitionView, transformProblems } from '../../contract.ts';
import { type ArtifactContent, runtimeOf } from '../../model/artifact-content.ts';
import { compileCheck } from '../../model/checks/compile-check.ts';
import { lineageOf } from '../../model/lineage.ts';
import { assertFitting, assertIncrement, incrementOf } from '../../model/materialization.ts';
import type { Selects } from '../select/selects.ts';

export interface ContentDeps {
  inputs: Pick<InputsService, 'pin'>;
  selects: Pick<Selects, 'read' | 'describe'>;
}

/** What a run carries out, worked out against the inputs as they are now. */
export async function contentOf(
  { inputs, selects }: ContentDeps,
  tenant: Tenant,
  definition: DefinitionView,
  signal: AbortSignal,
): Promise<ArtifactContent> {
  const { sql, output, materialization, key, partition_by: partitionBy, incremental, checks } = definition;
  const written = { materialization, key, partitionBy, incremental };
  const compiled = checks.map((check) => compileCheck(check, new Date()));
  const named = (await selects.read(sql, compiled)).inputs;
  if (named.some((id) => id.toLowerCase() === output.toLowerCase())) throw transformProblems.outputIsInput();
  const pins = await pinned(inputs, tenant, named);
  const asked = { sql, inputs: pins, signal, checks: compiled, increment: incrementOf(written) };
  const { columns, lineage, increment, clock, chance } = await selects.describe(asked);
  assertFitting(written, { columns, inputs: named });
  assertIncrement(written, increment);
  const how = {
    materialization,
    ...(key.length > 0 ? { key } : {}),
    ...(partitionBy.length > 0 ? { partition_by: partitionBy } : {}),
    ...(incremental ? { incremental: incremental.toLowerCase() } : {}),
  };
  return {
    ...{ runtime: runtimeOf(how), sql, output, ...how, inputs: named },
    columns: columns.map(({ name, type }) => ({ name, type })),
    lineage: lineageOf(sql, columns, lineage),
    ...(checks.length === 0 ? {} : { checks }),
    ...(clock.length === 0 ? {} : { clock: [...clock] }),
    ...(chance.length === 0 ? {} : { chance: [...chance] }),
  };
}

/** Throws `dataset_not_readable` and `input_missing`, both with the datasets that are at fault. */
async function pinned(
  inputs: ContentDeps['inputs'],
  tenant: Tenant,
  named: readonly string[],
): Promise<readonly PinnedInput[]> {
  const pin = (ids: readonly string[]) =>
    inputs.pin(
      tenant,
      ids.map((datasetId) => ({ datasetId })),
    );
  try {
    return await pin(named);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const codes = await Promise.all(named.map((id) => pin([id]).then(() => undefined, codeOf)));
    const having = (code: string) => named.filter((_, at) => codes[at] === code);
    const dataset_ids = having(UNREADABLE);
    if (dataset_ids.length > 0) throw datasetProblems.datasetNotReadable({ members: { dataset_ids } });
    const missing = having(ABSENT);
    throw transformProblems.inputMissing({ values: { count: missing.length }, members: { dataset_ids: missing } });
  }
}

const UNREADABLE = datasetProblems.datasetNotReadable.entry.code;
const ABSENT = kernelProblems.notFound.entry.code;

/** The code of an error for which an input is at fault. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Problem && [UNREADABLE, ABSENT].includes(error.code) ? error.code : undefined;
