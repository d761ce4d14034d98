import { previewDataset } from '@weir/plugin-datasets/contract';
import {
  createTransform,
  getTransform,
  getTransformRun,
  hydrateTransform,
  listTransforms,
  materializeTransform,
  type TransformView,
} from '@weir/plugin-transforms/contract';
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
const STEP_TIMEOUT_MS = 900_000;
/** Chicago O'Hare. */
const AIRPORT = 'ORD';
const DAYS = 366;
const WEEKS = 26;

/** Delays by airport and day: a table with a key that is checked before anybody reads it. */
const DEFINITION = {
  name: 'flight_delays',
  description: 'Flights and their mean delay in minutes, by airport and day',
  output: GOLD,
  sql: `select cast(f.date as date) as day, f.origin as airport, a.city, a.state,
  count(*) as flights, round(avg(f.delay), 1) as delay
from bronze.${DEMO_TENANT}.vega__flights_3m f
join bronze.${DEMO_TENANT}.vega__airports a on a.iata = f.origin
group by 1, 2, 3, 4
`,
  checks: [
    { name: 'one_row_a_day', kind: 'unique' as const, columns: ['day', 'airport'] },
    { name: 'known_airports', kind: 'not_null' as const, columns: ['city', 'delay'] },
  ],
};

/** The gold table of the demo by a transform with checks, and its chart. */
export async function goldDemo(deps: Omit<DemoDeps, 'stderr'>): Promise<void> {
  const { api, report, interrupted } = deps;
  const started = performance.now();
  const { transform_id } = await goldTransform(api);
  const runId = await startOrJoin(api, transform_id);
  const run = await waitForRun({
    poll: () => api.call(getTransformRun, { params: { run_id: runId } }),
    ...{ timeoutMs: STEP_TIMEOUT_MS, interrupted, reattach: `weir runs wait ${runId}` },
  });
  if (exitOfRun(run.status) !== 'ok') throw runError(run, api);
  const passed = run.checks.filter(({ status }) => status === 'passed').length;
  if (run.rows !== null) report.line(`    ${countText(Number(run.rows)).padStart(9)} rows → ${GOLD}`);
  const ended = run.rows === null ? 'nothing has changed' : `${passed} of ${run.checks.length} checks passed`;
  report.done(`transform "${DEFINITION.name}": ${ended}`, started);
  await chart(deps);
}

/** The transform of the demo, hydrated; found again on a later start. */
async function goldTransform(api: Api): Promise<TransformView> {
  const { items } = await api.call(listTransforms, { query: { name: DEFINITION.name } });
  const transform = items[0] ?? (await api.call(createTransform, { body: DEFINITION }));
  if (transform.artifact_id !== null) return transform;
  return api.call(hydrateTransform, { params: { transform_id: transform.transform_id } });
}

/** Starts a run, or joins the one that an earlier start, cut short, has left going. */
async function startOrJoin(api: Api, transformId: string): Promise<string> {
  const params = { transform_id: transformId };
  try {
    return (await api.call(materializeTransform, { params, query: { queue: true } })).run_id;
  } catch (error) {
    if (!(error instanceof CliError) || error.details.code !== 'run_already_active') throw error;
    const { last_run } = await api.call(getTransform, { params });
    if (last_run === null) throw error;
    return last_run.run_id;
  }
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
