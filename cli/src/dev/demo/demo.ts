import { previewDataset } from '@weir/plugin-datasets/contract';
import {
  createSource,
  getSyncStatus,
  type SyncRunDetailView,
  startDiscovery,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';
import { CliError } from '../../cli-error.ts';
import { findSource } from '../../command/source-id.ts';
import { rowsOf } from '../../commands/datasets/datasets.ts';
import { allStreams, streamOf } from '../../commands/streams/sources-streams-set.ts';
import type { Api } from '../../connection/api.ts';
import { exitOfRun } from '../../exit-codes.ts';
import { NARROW } from '../../output/fit.ts';
import { condense, sparkline } from '../../output/sparkline.ts';
import { table } from '../../output/table.ts';
import { runError } from '../../run/finish-run.ts';
import { countText, openProgress } from '../../run/progress.ts';
import { watchDiscovery } from '../../run/watch-discovery.ts';
import { watchSync } from '../../run/watch-sync.ts';
import { DEMO_FILES, DEMO_SOURCE, DEMO_TENANT, type DemoDeps, demoFolder } from './demo-data.ts';
import { goldDemo } from './gold.ts';

const STEP_TIMEOUT_MS = 900_000;
/** The worker was started a moment ago; a run may wait until it is seen. */
const STARTING = { queue: true };
const PREVIEW_ROWS = 366;
const SHOWN_ROWS = 4;
const WEEKS = 52;
const DATASET = (name: string) => `bronze.${DEMO_TENANT}.${name}`;

/** The main job, by the public API, as a user would do it: source, discovery, streams, sync, preview, transform, charts. */
export async function runDemo(deps: DemoDeps): Promise<void> {
  const source = await demoSource(deps);
  await syncDemo(deps, source);
  await previewDemo(deps);
  await goldDemo(deps);
}

/** The demo's source with its three streams switched on; found again on a later start. */
async function demoSource({ api, report, timings, stderr, interrupted }: DemoDeps): Promise<string> {
  const known = await findSource(api, DEMO_SOURCE);
  if (known !== undefined && known.streams_enabled === DEMO_FILES.length) return known.source_id;
  const started = performance.now();
  const source =
    known ??
    (await api.call(createSource, {
      body: {
        name: DEMO_SOURCE,
        pattern_id: 'files',
        source_config: {
          path: demoFolder(),
          streams: DEMO_FILES.map(({ stream, file }) => ({ name: stream, glob: file, format: file.split('.').at(-1) })),
        },
      },
    }));
  const { workflow_id } = await api.call(startDiscovery, { body: { source_id: source.source_id }, query: STARTING });
  const progress = await openProgress(stderr);
  const found = await watchDiscovery(api, workflow_id, { timeoutMs: STEP_TIMEOUT_MS, interrupted, progress });
  if (exitOfRun(found.status) !== 'ok') throw runError(found, api);
  timings.mark('first_discovery');
  const streams = await allStreams(api, source.source_id);
  for (const { stream } of DEMO_FILES) {
    const { stream_id } = streamOf(streams, stream);
    const body = { enabled: true, sync_mode: 'incremental', write_mode: 'append' } as const;
    await api.call(updateStream, { params: { source_id: source.source_id, stream_id }, body });
  }
  report.done(`source "${DEMO_SOURCE}" discovered: ${DEMO_FILES.length} streams of public data`, started);
  return source.source_id;
}

/** Starts a sync, or joins the one that an earlier start, cut short, has left going. */
async function startOrJoin(api: Api, sourceId: string): Promise<string> {
  try {
    return (await api.call(startSync, { params: { source_id: sourceId }, query: STARTING })).run_id;
  } catch (error) {
    if (!(error instanceof CliError) || error.details.code !== 'run_already_active') throw error;
    const { run } = await api.call(getSyncStatus, { params: { source_id: sourceId } });
    if (run === null) throw error;
    return run.run_id;
  }
}

async function syncDemo({ api, report, timings, stderr, interrupted }: DemoDeps, sourceId: string): Promise<void> {
  const started = performance.now();
  const runId = await startOrJoin(api, sourceId);
  const run = await watchSync(
    api,
    { sourceId, runId },
    {
      timeoutMs: STEP_TIMEOUT_MS,
      interrupted,
      progress: await openProgress(stderr),
      seen: (state) => {
        if ((state as SyncRunDetailView).streams.some((stream) => stream.commits > 0))
          timings.mark('first_bronze_commit');
      },
    },
  );
  if (exitOfRun(run.status) !== 'ok') throw runError(run, api);
  for (const { rows_written: rows, dataset_id, snapshot_id } of run.streams.filter((each) => each.rows_written > 0)) {
    report.line(`    ${countText(rows).padStart(9)} rows → ${dataset_id} @ ${snapshot_id}`);
  }
  const rate = countText(Math.round(run.rows_written / ((performance.now() - started) / 1_000)));
  const what =
    run.rows_written === 0 ? 'sync: no new rows' : `sync: ${countText(run.rows_written)} rows, ${rate} rows/s`;
  report.done(what, started);
}

async function previewDemo({ api, report, timings }: DemoDeps): Promise<void> {
  const started = performance.now();
  const dataset = DATASET('vega__seattle_weather');
  const found = await api.call(previewDataset, { params: { dataset_id: dataset }, query: { limit: PREVIEW_ROWS } });
  timings.mark('first_preview_row');
  const rows = rowsOf(found);
  if (rows.length === 0) throw new CliError('failed', `${dataset} is empty.`);
  report.done(`preview of ${dataset}`, started);
  const columns = found.columns.map(({ name }) => name).filter((name) => !name.startsWith('_'));
  const shown = table(columns, rows.slice(0, SHOWN_ROWS), { width: NARROW - 4, isData: true });
  for (const line of shown.trimEnd().split('\n')) report.line(`    ${line}`);
  const highs = condense(rows.map((row) => Number(row.temp_max)).filter(Number.isFinite), WEEKS);
  const [least, most] = [Math.min(...highs), Math.max(...highs)].map((value) => value.toFixed(1));
  report.line(`    daily high in Seattle by week of 2012, ${least} to ${most} °C`);
  report.line(`    ${sparkline(highs)}`);
}
