import { previewDataset } from '@weir/plugin-datasets/contract';
import {
  activatePipeline,
  createPipeline,
  getPipelineRun,
  listPipelineRuns,
  listPipelines,
  type PipelineView,
  runPipeline,
  sandboxPipeline,
  validateDag,
} from '@weir/plugin-pipelines/contract';
import { createTransform, hydrateTransform, listTransforms } from '@weir/plugin-transforms/contract';
import { CliError } from '../../cli-error.ts';
import { rowsOf } from '../../commands/datasets/datasets.ts';
import type { Api } from '../../connection/api.ts';
import { exitOfRun } from '../../exit-codes.ts';
import { condense, sparkline } from '../../output/sparkline.ts';
import { runError } from '../../run/finish-run.ts';
import { countText } from '../../run/progress.ts';
import { waitForRun } from '../../run/wait-for-run.ts';
import { DEMO_TENANT, type DemoDeps } from './demo-data.ts';

const GOLD = `gold.${DEMO_TENANT}.flight_delays`;
const PIPELINE = 'flights';
const STEP_TIMEOUT_MS = 900_000;
/** Chicago O'Hare. */
const AIRPORT = 'ORD';
const DAYS = 366;
const WEEKS = 26;

/** Delays by airport and day, in three steps: tables that change together, checked before anybody reads them. */
const TRANSFORMS = [
  {
    name: 'airports',
    description: 'Airports with their city and state',
    output: `silver.${DEMO_TENANT}.airports`,
    sql: `select iata as airport, city, state from bronze.${DEMO_TENANT}.vega__airports`,
    checks: [],
  },
  {
    name: 'daily_delays',
    description: 'Flights and their mean delay in minutes, by airport and day',
    output: `silver.${DEMO_TENANT}.daily_delays`,
    sql: `select cast(date as date) as day, origin as airport, count(*) as flights, round(avg(delay), 1) as delay
from bronze.${DEMO_TENANT}.vega__flights_3m
group by 1, 2
`,
    checks: [],
  },
  {
    name: 'flight_delays',
    description: 'Flights and their mean delay in minutes, by airport and day, with the city',
    output: GOLD,
    sql: `select d.day, d.airport, a.city, a.state, d.flights, d.delay
from silver.${DEMO_TENANT}.daily_delays d
join silver.${DEMO_TENANT}.airports a using (airport)
`,
    checks: [
      { name: 'one_row_a_day', kind: 'unique' as const, columns: ['day', 'airport'] },
      { name: 'known_airports', kind: 'not_null' as const, columns: ['city', 'delay'] },
    ],
  },
];

/** The gold table of the demo by a pipeline whose last step has checks, and its chart. */
export async function goldDemo(deps: Omit<DemoDeps, 'stderr'>): Promise<void> {
  const { api, report } = deps;
  const started = performance.now();
  const { pipeline, rehearsed } = await goldPipeline(deps);
  const params = { pipeline_id: pipeline.pipeline_id };
  const body = rehearsed === undefined ? {} : { promote_run_id: rehearsed };
  const run = await ended(deps, params, () => api.call(runPipeline, { params, query: { queue: true }, body }));
  const gold = run.steps.find(({ output }) => output === GOLD);
  const checks = gold?.checks ?? [];
  const passed = checks.filter(({ status }) => status === 'passed').length;
  const isNew = gold?.rows != null;
  if (isNew) report.line(`    ${countText(Number(gold.rows)).padStart(9)} rows → ${GOLD}`);
  const tables = `${run.outputs.length} tables, ${passed} of ${checks.length} checks passed`;
  report.done(`pipeline "${PIPELINE}": ${isNew ? tables : 'nothing has changed'}`, started);
  await chart(deps);
}

/** The pipeline of the demo with an active version, found again on a later start; `rehearsed`: its rehearsal, made just now. */
async function goldPipeline(deps: Omit<DemoDeps, 'stderr'>): Promise<{ pipeline: PipelineView; rehearsed?: string }> {
  const { api } = deps;
  const { items } = await api.call(listPipelines, { query: { name: PIPELINE } });
  const pipeline = items[0] ?? (await madePipeline(api));
  if (pipeline.active_version !== null) return { pipeline };
  const params = { pipeline_id: pipeline.pipeline_id };
  await api.call(validateDag, { body: params });
  const { run_id: rehearsed } = await ended(deps, params, () =>
    api.call(sandboxPipeline, { params, query: { queue: true }, body: {} }),
  );
  return { pipeline: await api.call(activatePipeline, { params, body: {} }), rehearsed };
}

async function madePipeline(api: Api): Promise<PipelineView> {
  const steps: { step_id: string; transform_id: string }[] = [];
  for (const definition of TRANSFORMS) {
    const { items } = await api.call(listTransforms, { query: { name: definition.name } });
    const transform = items[0] ?? (await api.call(createTransform, { body: definition }));
    const { transform_id } = transform;
    if (transform.artifact_id === null) await api.call(hydrateTransform, { params: { transform_id } });
    steps.push({ step_id: definition.name, transform_id });
  }
  return api.call(createPipeline, { body: { name: PIPELINE, steps } });
}

/** A run of the pipeline that ended well: one that is started here, or that an earlier start, cut short, has left open. */
async function ended(
  { api, interrupted }: Omit<DemoDeps, 'stderr'>,
  params: { pipeline_id: string },
  start: () => Promise<{ run_id: string }>,
) {
  const { run_id } = await start().catch(async (error: unknown) => {
    const isOpen = error instanceof CliError && error.details.code === 'run_already_active';
    const [open] = isOpen ? (await api.call(listPipelineRuns, { params, query: { limit: 1 } })).items : [];
    if (open === undefined) throw error;
    return open;
  });
  const run = await waitForRun({
    poll: () => api.call(getPipelineRun, { params: { ...params, run_id } }),
    timeoutMs: STEP_TIMEOUT_MS,
    interrupted,
    reattach: `weir runs wait ${run_id}`,
  });
  if (exitOfRun(run.status) !== 'ok') throw runError(run, api);
  return run;
}

async function chart({ api, report, timings }: Omit<DemoDeps, 'stderr'>): Promise<void> {
  const query = { filter: `airport:eq:${AIRPORT}`, columns: 'day,delay', order: 'day', limit: DAYS };
  const rows = rowsOf(await api.call(previewDataset, { params: { dataset_id: GOLD }, query }));
  timings.mark('gold_chart');
  const delays = condense(rows.map((row) => Number(row.delay)).filter(Number.isFinite), WEEKS);
  if (delays.length === 0) throw new CliError('failed', `${GOLD} has no rows of ${AIRPORT}.`);
  const [least, most] = [Math.min(...delays), Math.max(...delays)].map((value) => value.toFixed(1));
  report.line(`    delay of flights from Chicago by week of 2001, ${least} to ${most} minutes`);
  report.line(`    ${sparkline(delays)}`);
}
