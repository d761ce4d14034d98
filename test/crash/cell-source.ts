import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallResult, Output } from '@weir/kernel/contract';
import {
  createSource,
  getDiscoveryStatus,
  getSyncStatus,
  listStreams,
  type SyncRunDetailView,
  startDiscovery,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';
import type { Cell, Mode } from './cells.ts';
import type { Caller, CrashPlatform } from './crash-platform.ts';
import { until } from './until.ts';

/** Rows of the first and of the second generation; an incremental sync reads only what the second has more. */
export const GENERATIONS: Readonly<Record<number, number>> = { 1: 500, 2: 2_500 };

const SETTINGS: Record<Mode, object> = {
  append: { sync_mode: 'incremental', write_mode: 'append' },
  merge: { sync_mode: 'incremental', write_mode: 'merge', primary_key: [['key']] },
  overwrite: { sync_mode: 'full_refresh', write_mode: 'overwrite' },
};

/** The table of a cell at a moment: pointer and checkpoint, read by one statement. */
export interface Moment {
  readonly when: string;
  readonly location: string;
  readonly at: number;
}

/** The source of a cell, with one good sync behind it and a second generation to read. */
export interface CellSource {
  readonly cell: Cell;
  readonly name: string;
  start(): Promise<unknown>;
  /** Id of the newest run, as the database has it. */
  newestRun(): Promise<string>;
  /** The run, once it has ended; undefined while it has not, or while nobody answers. */
  ended(runId: string): Promise<SyncRunDetailView | undefined>;
  moment(when: string): Promise<Moment>;
}

/** The body of a successful answer. */
function ok<E>(result: CallResult<E>): Output<E> {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.body;
}

/** Makes tenant, source and table of a cell and fills the table with the first generation. */
export async function cellSource(platform: CrashPlatform, cell: Cell): Promise<CellSource> {
  const name = `${cell.target}_${cell.point}_${cell.mode}`.toLowerCase();
  const api = await platform.tenant(name.replaceAll('_', '-'));
  const path = join(platform.folder, `${name}.json`);
  const write = (generation: number) =>
    writeFile(path, JSON.stringify({ generation, rows: GENERATIONS[generation] ?? 0 }));
  await write(1);
  const body = { name, pattern_id: 'counting', source_config: { path } };
  const { source_id } = ok(await api(createSource, { body }));
  await enable(api, source_id, cell.mode);
  const source = overApi(platform, api, { cell, name, sourceId: source_id });
  ok((await source.start()) as CallResult<typeof startSync>);
  const first = await source.newestRun();
  const run = await until('the first sync', () => source.ended(first));
  if (run.status !== 'succeeded') throw new Error(`the first sync of ${name} ${run.status}: ${run.failure?.code}`);
  await write(2);
  return source;
}

async function enable(api: Caller, source_id: string, mode: Mode): Promise<void> {
  const { workflow_id } = ok(await api(startDiscovery, { body: { source_id } }));
  await until('a discovery', async () => {
    const status = ok(await api(getDiscoveryStatus, { params: { workflow_id } }));
    return status.is_terminal ? status : undefined;
  });
  const { items } = ok(await api(listStreams, { params: { source_id } }));
  for (const { stream_id } of items) {
    ok(await api(updateStream, { params: { source_id, stream_id }, body: { enabled: true, ...SETTINGS[mode] } }));
  }
}

interface Ids {
  cell: Cell;
  name: string;
  sourceId: string;
}

function overApi(platform: CrashPlatform, api: Caller, { cell, name, sourceId }: Ids): CellSource {
  const { peek } = platform;
  return {
    cell,
    name,
    start: () => api(startSync, { params: { source_id: sourceId }, query: { queue: true } }),
    async newestRun() {
      const rows = await peek(
        `select run_id from kernel.run where subject_id = $1 and kind = 'source-sync' order by created_at desc limit 1`,
        [sourceId],
      );
      return String(rows[0]?.run_id);
    },
    async ended(runId) {
      const input = { params: { source_id: sourceId }, query: { run_id: runId } };
      const answer = await api(getSyncStatus, input).catch(() => undefined);
      const run = answer?.ok ? answer.body.run : undefined;
      return run?.is_terminal ? run : undefined;
    },
    async moment(when) {
      const [row] = await peek(
        `select (select metadata_location from catalog.iceberg_tables where table_name = $1) as location,
           (select c.state from datasets.checkpoint c join kernel.tenant t using (tenant_id) where t.alias = $2) as state`,
        [`${name}__rows`, name.replaceAll('_', '-')],
      );
      const [, at = '0'] = /at\\*":\s*(\d+)/.exec(String(row?.state)) ?? [];
      return { when, location: String(row?.location), at: Number(at) };
    },
  };
}
