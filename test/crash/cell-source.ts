import type { CallResult, Output } from '@weir/kernel/contract';
import {
  createSource,
  getDiscoveryStatus,
  getSyncStatus,
  listStreams,
  type SyncRunDetailView,
  startDiscovery,
  startSync,
  updateSource,
  updateStream,
} from '@weir/plugin-sources/contract';
import { until } from '../until.ts';
import type { Mode } from './cells.ts';
import type { Caller, CrashPlatform } from './crash-platform.ts';

const FIRST_ROWS = 500;
const MORE_ROWS = 2_000;

const SETTINGS: Record<Mode, object> = {
  append: { sync_mode: 'incremental', write_mode: 'append' },
  merge: { sync_mode: 'incremental', write_mode: 'merge', primary_key: [['key']] },
  overwrite: { sync_mode: 'full_refresh', write_mode: 'overwrite' },
  shared: { sync_mode: 'incremental', write_mode: 'append' },
};

/** The streams of a source. */
const STREAMS: Record<Mode, readonly string[]> = {
  ...{ append: ['rows'], merge: ['rows'], overwrite: ['rows'] },
  shared: ['rows', 'more'],
};

/** The tables of a source at a moment: pointers and checkpoints, read by one statement. */
export interface Moment {
  readonly when: string;
  readonly tables: readonly { readonly location: string; readonly at: number }[];
}

/** A source with one good sync behind it. It has one generation of rows after the other; an incremental sync reads only what the next has more. */
export interface CellSource {
  readonly mode: Mode;
  readonly name: string;
  /** The number of the generation that it has now, and the rows of each that it had. */
  generation(): number;
  rowsOf(generation: number): number;
  /** Lets it have the next generation; it waits so long between two hundreds of rows. */
  next(pauseMs: number): Promise<void>;
  /** Whoever begins to read it from now on waits so long. */
  pause(pauseMs: number): Promise<void>;
  start(): Promise<unknown>;
  /** Id of the newest run, as the database has it. */
  newestRun(): Promise<string>;
  /** The run, once it has ended; undefined while it has not, or while nobody answers. */
  ended(runId: string): Promise<SyncRunDetailView | undefined>;
  moment(when: string): Promise<Moment>;
}

/** The sources of a platform: one that did well in a cell is used for the next of its mode. */
export interface CellSources {
  take(mode: Mode): Promise<CellSource>;
  giveBack(source: CellSource): void;
}

export function cellSources(platform: CrashPlatform): CellSources {
  const idle: CellSource[] = [];
  let made = 0;
  return {
    take(mode) {
      const at = idle.findIndex((source) => source.mode === mode);
      const [found] = at < 0 ? [] : idle.splice(at, 1);
      if (found !== undefined) return Promise.resolve(found);
      made += 1;
      return newSource(platform, mode, `${mode}_${made}`);
    },
    giveBack: (source) => void idle.push(source),
  };
}

/** The body of a successful answer. */
function ok<E>(result: CallResult<E>): Output<E> {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.body;
}

/** How much an incremental source has grown by a generation; one that is read whole stays of a size. */
function rowsOf(mode: Mode, generation: number): number {
  const grown = mode === 'overwrite' ? Math.min(generation - 1, 1) : generation - 1;
  return FIRST_ROWS + grown * MORE_ROWS;
}

/** Makes tenant, source and table and fills the table with the first generation. */
async function newSource(platform: CrashPlatform, mode: Mode, name: string): Promise<CellSource> {
  const api = await platform.tenant(name.replaceAll('_', '-'));
  const source_config = {
    generation: 1,
    rows: FIRST_ROWS,
    pause_ms: 0,
    ...(mode === 'shared' ? { shared: true } : {}),
  };
  const { source_id } = ok(await api(createSource, { body: { name, pattern_id: 'counting', source_config } }));
  await enable(api, source_id, mode);
  const source = overApi(platform, api, { mode, name, sourceId: source_id });
  ok((await source.start()) as CallResult<typeof startSync>);
  const first = await source.newestRun();
  const run = await until('the first sync', () => source.ended(first));
  if (run.status !== 'succeeded') throw new Error(`the first sync of ${name} ${run.status}: ${run.failure?.code}`);
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
  mode: Mode;
  name: string;
  sourceId: string;
}

function overApi(platform: CrashPlatform, api: Caller, { mode, name, sourceId }: Ids): CellSource {
  const { peek } = platform;
  const configure = async (source_config: Record<string, number>) => {
    ok(await api(updateSource, { params: { source_id: sourceId }, body: { source_config } }));
  };
  let generation = 1;
  return {
    mode,
    name,
    generation: () => generation,
    rowsOf: (of) => rowsOf(mode, of),
    next(pause_ms) {
      generation += 1;
      return configure({ generation, rows: rowsOf(mode, generation), pause_ms });
    },
    pause: (pause_ms) => configure({ pause_ms }),
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
      const rows = await peek(
        `select t.metadata_location as location, c.state from catalog.iceberg_tables t
         left join datasets.checkpoint c on c.key like '%/' || t.table_name where t.table_name = any($1)`,
        [STREAMS[mode].map((stream) => `${name}__${stream}`)],
      );
      const tables = rows.map(({ location, state }) => {
        const [, at = '0'] = /at\\*":\s*(\d+)/.exec(String(state)) ?? [];
        return { location: String(location), at: Number(at) };
      });
      if (tables.length !== STREAMS[mode].length) throw new Error(`${tables.length} tables of ${name} are known`);
      return { when, tables };
    },
  };
}
