import type { Kernel, Tenant } from '@weir/kernel';
import { type CheckOutcome, kernelProblems, Problem, type ReadinessCheck } from '@weir/kernel/contract';
import type { InputsService, TablesService } from '@weir/plugin-datasets/contract';
import type { RunLogsService } from '@weir/plugin-platform/contract';
import { TRANSFORM_SUBJECT, type TransformRunView } from '../contract.ts';
import { RUNTIMES } from '../model/artifact-content.ts';
import { draftOf } from '../model/definition.ts';
import { ArtifactEntity, type ArtifactRow, type TransformRow } from '../model/entities.ts';
import { tableRefOf } from '../model/output.ts';
import { lastRuns } from './transform/last-runs.ts';
import { foundTransform } from './transform/rows.ts';
import { hasWorker } from './workers.ts';

const HYDRATE = 'Hydrate the transform: weir transforms hydrate.';

export interface ReadinessDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  inputs: Pick<InputsService, 'pin'>;
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
    check('runtime', 'The engine of this deployment carries the artifact out', true, (_, facts) => runtime(facts)),
    check('archived', 'The transform is not archived', true, (_, facts) => archived(facts)),
    check('inputs', 'Every input can be read', true, (tenant, facts) => inputsOutcome(deps, tenant, facts)),
    check('output', 'The output can be written', true, (tenant, facts) => outputOutcome(deps, tenant, facts)),
    check('worker', 'A worker polls for runs', false, () => workerOutcome(kernel)),
    check('last_run', 'No run is open', false, (_, facts) => lastRun(facts)),
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

const PASS: CheckOutcome['status'] = 'pass';

function hydrated({ row, artifact }: Facts): CheckOutcome {
  if (artifact === undefined) return { status: 'fail', detail: 'No version is in force yet.', hint: HYDRATE };
  const { currentVersion } = row;
  const inForce = `${currentVersion ? `Version ${currentVersion}` : 'The definition'} is in force.`;
  return { status: PASS, detail: draftOf(row) === undefined ? inForce : `${inForce} A draft differs from it.` };
}

function runtime({ artifact }: Facts): CheckOutcome {
  if (artifact === undefined) return { status: 'fail', detail: 'There is no artifact yet.', hint: HYDRATE };
  if (RUNTIMES.includes(artifact.runtime)) return { status: PASS, detail: `The artifact is for ${artifact.runtime}.` };
  return {
    status: 'fail',
    detail: `The artifact is for another engine than ${RUNTIMES.join(' and ')}, which this deployment has.`,
    hint: HYDRATE,
  };
}

function archived({ row }: Facts): CheckOutcome {
  if (!row.archivedAt) return { status: PASS, detail: 'The transform is in use.' };
  const hint = 'Restore it: PATCH /transforms/{transform_id} with `archived` false.';
  return { status: 'fail', detail: 'The transform is archived.', hint };
}

async function inputsOutcome({ inputs }: ReadinessDeps, tenant: Tenant, { artifact }: Facts): Promise<CheckOutcome> {
  if (artifact === undefined) return { status: 'fail', detail: 'The inputs are not known yet.', hint: HYDRATE };
  const items: NonNullable<CheckOutcome['items']> = [];
  for (const datasetId of artifact.content.inputs) {
    const code = await unreadable(() => inputs.pin(tenant, [{ datasetId }]));
    if (code !== undefined) items.push({ id: datasetId, name: datasetId, code });
  }
  if (items.length === 0) return { status: PASS, detail: `${artifact.content.inputs.length} input(s) can be read.` };
  const hint = 'Load the tables first, or change the statement to read tables that your tenant produces.';
  return { status: 'fail', detail: `${items.length} input(s) cannot be read.`, hint, items };
}

async function unreadable(pin: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await pin();
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code === kernelProblems.notFound.entry.code ? 'input_missing' : error.code;
  }
}

async function outputOutcome({ tables }: ReadinessDeps, tenant: Tenant, { row, last }: Facts): Promise<CheckOutcome> {
  const { exists, readable, writable } = await tables.describe(tenant, tableRefOf(row.output));
  if (!writable) {
    const hint = 'Set `output` to a table in the scope of the tenant.';
    return { status: 'fail', detail: 'The tenant may not write the output.', hint };
  }
  if (exists && !readable) {
    const hint = 'Check that the warehouse is complete and reachable.';
    return { status: 'fail', detail: 'The output is there and cannot be read.', hint };
  }
  if (!exists && last?.status === 'succeeded' && last.output === row.output) {
    const hint = 'Run the transform again with force: weir transforms trigger.';
    return { status: 'warning', detail: 'The last run wrote the output, and it is not there any more.', hint };
  }
  return { status: PASS, detail: exists ? 'The output can be written.' : 'The first run makes the output.' };
}

async function workerOutcome(kernel: Pick<Kernel, 'runs'>): Promise<CheckOutcome> {
  if (await hasWorker(kernel)) return { status: PASS, detail: 'A worker of the role transform polls its queue.' };
  const hint = 'Start a worker of the role transform, or let the run wait for one: weir transforms trigger --queue.';
  return { status: 'fail', detail: 'No worker of the role transform has polled its queue lately.', hint };
}

function lastRun({ last }: Facts): CheckOutcome {
  if (last === undefined) return { status: PASS, detail: 'The transform has not run yet.' };
  if (!last.is_terminal) {
    const hint = 'Wait for it, or cancel it: weir transforms cancel.';
    return { status: 'fail', detail: `A run of the transform is ${last.status}.`, hint };
  }
  if (last.status !== 'failed') return { status: PASS, detail: `The last run ended ${last.status}.` };
  return { status: 'warning', detail: 'The last run failed.', hint: 'Read its log: weir transforms logs.' };
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
    return { status: 'warning', detail: 'The log store does not answer.', hint: 'GET /ready names the part.' };
  }
}

function lineage({ artifact }: Facts): CheckOutcome {
  if (artifact === undefined) return { status: 'warning', detail: 'The lineage is not known yet.', hint: HYDRATE };
  const open = artifact.content.lineage.filter(({ complete }) => !complete);
  if (open.length === 0) return { status: PASS, detail: 'Every column is traced.' };
  const items = open.map(({ column }) => ({ id: column, name: column, code: 'lineage_incomplete' }));
  const hint = 'Name the columns in place of * or of what the statement unpacks.';
  return { status: 'warning', detail: `${open.length} column(s) may depend on more.`, hint, items };
}
