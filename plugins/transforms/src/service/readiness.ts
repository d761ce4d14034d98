import type { Kernel, Tenant } from '@weir/kernel';
import { type CheckOutcome, counted, kernelProblems, Problem, type ReadinessCheck } from '@weir/kernel/contract';
import type { DeclaredInput, InputsService, TablesService } from '@weir/plugin-datasets/contract';
import type { RunLogsService } from '@weir/plugin-platform/contract';
import { TRANSFORM_SUBJECT, type TransformRunView, transformProblems } from '../contract.ts';
import { RUNTIMES } from '../model/artifact-content.ts';
import { definitionOf, draftOf } from '../model/definition.ts';
import { ArtifactEntity, type ArtifactRow, type TransformRow } from '../model/entities.ts';
import { needsFullRun } from '../model/materialization.ts';
import { tableRefOf } from '../model/output.ts';
import { lastRuns } from './transform/last-runs.ts';
import { foundTransform } from './transform/rows.ts';
import { hasWorker } from './workers.ts';

/** A step about the transform of the check. */
const ofTransform = (operation: string, text: string, more: Record<string, string> = {}) => ({
  operation,
  params: { transform_id: '{subject_id}', ...more },
  text,
});

/** What only a version in force tells. */
const NOT_IN_FORCE: CheckOutcome = {
  status: 'warning',
  detail: 'This is known once a version is in force.',
  ...{ hint: 'Put the definition in force.', next: [ofTransform('transforms.hydrate_transform', 'Put it in force')] },
};

export interface ReadinessDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  inputs: Pick<InputsService, 'pin' | 'declared'>;
  tables: Pick<TablesService, 'describe'>;
  logs: Pick<RunLogsService, 'page'>;
}

/** What the checks of one transform look at. */
interface Facts {
  row: TransformRow;
  artifact: ArtifactRow | undefined;
  last: TransformRunView | undefined;
}

type Judge = (tenant: Tenant, facts: Facts) => CheckOutcome | Promise<CheckOutcome>;

/** The checklist of a run of a transform, as the specification lists it. */
export function readinessChecks(deps: ReadinessDeps): ReadinessCheck[] {
  const { kernel } = deps;
  const check = (name: string, title: string, blocks: boolean, judge: Judge): ReadinessCheck => ({
    ...{ subject: TRANSFORM_SUBJECT, check: name, title, blocks },
    run: async (tenant, id) => judge(tenant, await factsOf(kernel, tenant, id)),
  });
  return [
    check('hydrated', 'A version is in force', true, (_, facts) => hydrated(facts)),
    check('runtime', 'This deployment can carry it out', true, (_, facts) => runtime(facts)),
    check('archived', 'The transform is not archived', true, (_, facts) => archived(facts)),
    check('inputs', 'Every input can be read', true, (tenant, facts) => inputsOutcome(deps, tenant, facts)),
    check('output', 'The output can be written', true, (tenant, facts) => outputOutcome(deps, tenant, facts)),
    check('worker', 'A worker polls for runs', false, () => workerOutcome(kernel)),
    check('last_run', 'No run is open, and the last one did not fail', false, (_, facts) => lastRun(facts)),
    check('logs', 'The log of the last run can be read', false, (tenant, facts) => logsOutcome(deps, tenant, facts)),
    check('lineage', 'Every column is traced to its inputs', false, (_, facts) => lineage(facts)),
  ];
}

function factsOf({ db, runs }: ReadinessDeps['kernel'], tenant: Tenant, transformId: string): Promise<Facts> {
  return db(tenant).transaction(async (tx) => {
    const row = await foundTransform(tx, transformId);
    const { artifactId } = row;
    const artifact = artifactId ? await tx.findOne(ArtifactEntity, { artifactId }) : undefined;
    const last = (await lastRuns({ runs }, tx, [transformId])).get(transformId);
    return { row, artifact, last };
  });
}

const MISSING = transformProblems.inputMissing.entry.code;
const PASS: CheckOutcome['status'] = 'pass';

function hydrated({ row, artifact }: Facts): CheckOutcome {
  if (artifact === undefined) return { ...NOT_IN_FORCE, status: 'fail', detail: 'No version is in force yet.' };
  const { currentVersion } = row;
  const inForce = `${currentVersion ? `Version ${currentVersion}` : 'The definition'} is in force.`;
  return { status: PASS, detail: draftOf(row) === undefined ? inForce : `${inForce} A draft differs from it.` };
}

function runtime({ artifact }: Facts): CheckOutcome {
  if (artifact === undefined) return NOT_IN_FORCE;
  if (RUNTIMES.includes(artifact.runtime)) return { status: PASS, detail: `It is made for ${artifact.runtime}.` };
  const detail = `It was made for another engine than ${RUNTIMES.join(' and ')}, which this deployment has.`;
  return { ...NOT_IN_FORCE, status: 'fail', detail };
}

function archived({ row }: Facts): CheckOutcome {
  if (!row.archivedAt) return { status: PASS, detail: 'The transform is in use.' };
  const next = [ofTransform('transforms.change_transform', 'Restore the transform')];
  return { status: 'fail', detail: 'The transform is archived.', hint: 'Restore it: set `archived` to false.', next };
}

const inputsOutcome = ({ inputs }: ReadinessDeps, tenant: Tenant, { artifact }: Facts) =>
  artifact === undefined ? NOT_IN_FORCE : readableInputs(inputs, tenant, artifact.content.inputs);

/** Whether each of these datasets can be read now. */
export async function readableInputs(
  inputs: ReadinessDeps['inputs'],
  tenant: Tenant,
  ids: readonly string[],
): Promise<CheckOutcome> {
  const items: NonNullable<CheckOutcome['items']> = [];
  for (const datasetId of ids) {
    const code = await unreadable(() => inputs.pin(tenant, [{ datasetId }]));
    if (code !== undefined) items.push({ id: datasetId, name: datasetId, code });
  }
  if (items.length === 0) return { status: PASS, detail: `${counted(ids.length, 'input')} can be read.` };
  const missing = items.filter(({ code }) => code === MISSING).map(({ id }) => id);
  const declared = await inputs.declared(tenant, missing);
  if (declared.length === items.length) return waiting(declared);
  const hint = 'Load the tables first, or change the statement to read tables that your tenant produces.';
  return { status: 'fail', detail: `${counted(items.length, 'input')} cannot be read.`, hint, items };
}

/** Each missing input has a producer that will write it. */
function waiting(declared: readonly DeclaredInput[]): CheckOutcome {
  const said = declared.map(({ datasetId, producer: { kind, name } }) => {
    return `\`${datasetId}\`, which the ${kind} \`${name}\` ${kind === 'source' ? 'loads' : 'makes'}`;
  });
  const hint = 'Run first what makes the inputs.';
  const items = declared.map(({ datasetId }) => ({ id: datasetId, name: datasetId, code: 'not_made_yet' }));
  const next = declared.map((one) => one.next);
  return { status: 'fail', detail: `It waits for ${said.join(', and for ')}.`, hint, items, next };
}

async function unreadable(pin: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await pin();
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code === kernelProblems.notFound.entry.code ? MISSING : error.code;
  }
}

async function outputOutcome({ tables }: ReadinessDeps, tenant: Tenant, { row, last }: Facts): Promise<CheckOutcome> {
  const { exists, readable, writable, partitionBy } = await tables.describe(tenant, tableRefOf(row.output));
  if (!writable) {
    const hint = 'Set `output` to a table in the scope of the tenant.';
    return { status: 'fail', detail: 'The tenant may not write the output.', hint };
  }
  if (exists && !readable) {
    const hint = 'Check that the warehouse is complete and reachable.';
    return { status: 'fail', detail: 'The output is there and cannot be read.', hint };
  }
  if (!exists && last?.status === 'succeeded' && last.output === row.output) {
    const hint = 'Run the transform again with `force`.';
    const next = [ofTransform('transforms.materialize', 'Run the transform again', { force: 'true' })];
    return { status: 'warning', detail: 'The last run wrote the output, and it is not there any more.', hint, next };
  }
  if (partitionBy !== undefined && needsFullRun(definitionOf(row), partitionBy)) {
    const hint = 'Run it once as full, which divides the table anew and replaces all of its rows.';
    const next = [ofTransform('transforms.materialize', 'Run it as full', { full: 'true' })];
    return {
      status: 'warning',
      detail: `The output is ${dividedText(partitionBy)}, not by \`partition_by\`.`,
      hint,
      next,
    };
  }
  return { status: PASS, detail: exists ? 'The output can be written.' : 'The first run makes the output.' };
}

const dividedText = (by: readonly { column: string }[]): string =>
  by.length === 0 ? 'not divided' : `divided by ${by.map(({ column }) => `\`${column}\``).join(', ')}`;

async function workerOutcome(kernel: Pick<Kernel, 'runs'>): Promise<CheckOutcome> {
  if (await hasWorker(kernel)) return { status: PASS, detail: 'A worker of the role transform polls its queue.' };
  const hint = 'Start a worker of the role transform, or let the run wait for one.';
  const next = [{ operation: 'workflow_engine.list_workers', text: 'Show the workers' }];
  return { status: 'fail', detail: 'No worker of the role transform has polled its queue lately.', hint, next };
}

function lastRun({ last }: Facts): CheckOutcome {
  if (last === undefined) return { status: PASS, detail: 'The transform has not run yet.' };
  if (!last.is_terminal) {
    const next = [
      { operation: 'transforms.cancel_transform_run', params: { run_id: last.run_id }, text: 'Cancel the run' },
    ];
    return {
      status: 'fail',
      detail: `A run of the transform is ${last.status}.`,
      hint: 'Wait for it, or cancel it.',
      next,
    };
  }
  if (last.status !== 'failed') return { status: PASS, detail: `The last run ended ${last.status}.` };
  const { run_id } = last;
  const next = [
    { operation: 'transforms.read_transform_run_log', params: { run_id }, text: 'Read the log of the last run' },
  ];
  return { status: 'warning', detail: 'The last run failed.', hint: 'Read its log.', next };
}

async function logsOutcome({ logs }: ReadinessDeps, tenant: Tenant, { last }: Facts): Promise<CheckOutcome> {
  if (last === undefined) return { status: PASS, detail: 'The transform has not run yet.' };
  const run = { runId: last.run_id, isTerminal: true, endedAt: last.ended_at ? new Date(last.ended_at) : undefined };
  const signal = new AbortController().signal;
  try {
    const page = await logs.page(tenant, { limit: 1 }, { find: async () => run, signal });
    if (!page.expired) return { status: PASS, detail: 'The log of the last run can be read.' };
    return { status: 'warning', detail: 'The log of the last run has expired.', hint: 'Run the transform again.' };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const next = [{ operation: 'platform.get_services_health', text: 'Show which parts answer' }];
    return { status: 'warning', detail: 'The log store does not answer.', hint: 'Try again in a moment.', next };
  }
}

function lineage({ artifact }: Facts): CheckOutcome {
  if (artifact === undefined) return NOT_IN_FORCE;
  const open = artifact.content.lineage.filter(({ complete }) => !complete);
  if (open.length === 0) return { status: PASS, detail: 'Every column is traced.' };
  const items = open.map(({ column }) => ({ id: column, name: column, code: 'lineage_incomplete' }));
  const hint = 'Name the columns in place of * or of what the statement unpacks.';
  return { status: 'warning', detail: `${counted(open.length, 'column')} may depend on more.`, hint, items };
}
