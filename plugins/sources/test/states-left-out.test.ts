import type { State } from '@weir/connector-sdk';
import { localFileIO } from '@weir/lakehouse';
import { startRestCatalog } from '@weir/lakehouse/testing';
import t from 'tap';
import { getSyncStatus, previewReset, resetStream, updateStream } from '../src/contract.ts';
import { ok } from './platform.ts';
import { type GrowingSource, says } from './said-states.ts';
import {
  attempt,
  type Says,
  type SharedStatesWorld,
  type SharedStream,
  sharedStatesWorld,
} from './shared-states-world.ts';

const STREAMS: readonly SharedStream[] = [
  { name: 'a', write: 'append' },
  { name: 'b', write: 'append' },
];

let made = 0;

/** A source of two appended streams, and what a test does with it. */
async function sourceOf(world: SharedStatesWorld, kind: GrowingSource['kind']) {
  const { call } = world.as('demo');
  made += 1;
  const name = `left${made}`;
  const sourceId = await world.source(name, STREAMS);
  const rows = await world.database.peek('select name, stream_id from sources.stream where source_id = $1', [sourceId]);
  const ids = new Map(rows.map(({ name, stream_id }) => [String(name), String(stream_id)]));
  const params = (stream: string) => ({ source_id: sourceId, stream_id: ids.get(stream) ?? '' });
  const source: GrowingSource = { kind, streams: STREAMS, sizes: new Map() };
  return {
    source,
    grow: (by: number) => {
      for (const { name } of STREAMS) source.sizes.set(name, (source.sizes.get(name) ?? 0) + by);
    },
    /** Whole runs of so many attempts; the codes of the last, and what the API says of the run and its streams. */
    async run(connector: Says = says(source, made, 1), attempts = 1) {
      const runId = await world.start(sourceId);
      let codes: readonly string[] = [];
      for (let tried = 0; tried < attempts; tried += 1) {
        codes = await attempt(world, { runId, sourceId, says: connector });
      }
      const query = { run_id: runId };
      const { run } = ok(await call(getSyncStatus, { params: { source_id: sourceId }, query }));
      await world.kernel.runs.finish(world.tenant, runId, { status: codes.length === 0 ? 'succeeded' : 'failed' });
      return { codes, streams: run?.streams.map(({ name, rows_written }) => [name, rows_written]) };
    },
    set: (stream: string, body: object) => call(updateStream, { params: params(stream), body }).then(ok),
    async reset(stream: string) {
      const { etag, sentences } = ok(await call(previewReset, { params: params(stream) }));
      ok(await call(resetStream, { params: params(stream) }, { 'if-match': `"${etag}"` }));
      return sentences;
    },
    /** How many rows each table has; each of them once. */
    async rows() {
      const found = await Promise.all(STREAMS.map((one) => world.rows(`bronze.demo.${name}__${one.name}`)));
      return found.map((table) => {
        const ids = table.map(([id]) => id).sort((a, b) => a - b);
        if (ids.some((id, at) => id !== at)) throw new Error(`not each row once: ${ids}`);
        return ids.length;
      });
    },
  };
}

/** A connector whose one state for all is a number that only it understands. */
const opaque =
  ({ sizes }: GrowingSource): Says =>
  ({ catalog, state }) => {
    const asked = (JSON.parse(catalog) as { streams: { stream: { name: string } }[] }).streams;
    const given = JSON.parse(state) as { upTo?: number } | State[];
    const from = Array.isArray(given) ? 0 : (given.upTo ?? 0);
    const upTo = sizes.get('a') ?? 0;
    const lines: object[] = [];
    for (const { stream } of asked) {
      for (let id = from; id < upTo; id += 1)
        lines.push({ type: 'RECORD', record: { stream: stream.name, data: { id, key: id % 4 }, emitted_at: 1 } });
    }
    lines.push({ type: 'STATE', state: { data: { upTo } } });
    for (const { stream } of asked) {
      const stream_status = { stream_descriptor: { name: stream.name }, status: 'COMPLETE' };
      lines.push({ type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: 1, stream_status } });
    }
    return { lines: lines.map((line) => JSON.stringify(line)), code: 0 };
  };

const world = await sharedStatesWorld(t);

t.test('a stream that was left out for a while stands apart, and a reset brings it back', async (t) => {
  const { grow, run, set, reset, rows } = await sourceOf(world, 'GLOBAL');
  grow(3);
  t.strictSame((await run()).codes, []);
  await set('b', { enabled: false });
  grow(3);
  t.strictSame((await run()).codes, []);
  t.strictSame(await rows(), [6, 3]);
  await set('b', { enabled: true });
  grow(3);
  t.strictSame((await run()).codes, ['states_apart', 'states_apart'], 'no state would be right for both');
  t.strictSame(await rows(), [6, 3], 'and neither is read');
  await reset('b');
  t.strictSame((await run()).codes, []);
  t.strictSame(await rows(), [9, 9]);
});

t.test('one stream of a state that only its connector understands cannot begin anew: all are reset', async (t) => {
  const { source, grow, run, reset, rows } = await sourceOf(world, 'LEGACY');
  const connector = opaque(source);
  grow(3);
  t.strictSame((await run(connector)).codes, []);
  t.match((await reset('b')).join(' '), /one state for all .* reset all/i, 'said before it is done');
  grow(2);
  t.strictSame((await run(connector)).codes, ['state_indivisible']);
  t.strictSame(await rows(), [5, 3], 'the other goes on, and this one keeps its rows');
  await reset('a');
  t.strictSame((await run(connector)).codes, []);
  t.strictSame(await rows(), [5, 5]);
});

t.test('the value of a tap is divided by the names of its bookmarks', async (t) => {
  const { source, grow, run, reset, rows } = await sourceOf(world, 'LEGACY');
  /** A tap as the bridge tells of it: its one value stands for all streams. */
  const tap: Says = ({ catalog, state }) => {
    const [given] = JSON.parse(state) as State[];
    const { shared_state: value } = (given?.global ?? {}) as { shared_state?: { bookmarks: Record<string, number> } };
    const told = says(source, made, 1)({ catalog, state: JSON.stringify(value?.bookmarks ?? {}) });
    const lines = told.lines.map((line) => {
      const { type, state: own } = JSON.parse(line) as { type: string; state?: { data: object } };
      if (type !== 'STATE') return line;
      const global = { shared_state: { bookmarks: own?.data }, stream_states: [] };
      return JSON.stringify({ type, state: { type: 'GLOBAL', global } });
    });
    return { lines, code: told.code };
  };
  grow(3);
  t.strictSame((await run(tap)).codes, []);
  await reset('b');
  grow(2);
  t.strictSame((await run(tap)).codes, []);
  t.strictSame(await rows(), [5, 5]);
});

t.test('a connector that has gone over to states of streams is brought there after a crash', async (t) => {
  const { source, grow, run, rows } = await sourceOf(world, 'LEGACY');
  grow(3);
  t.strictSame((await run()).codes, []);
  Object.assign(source, { kind: 'STREAM' });
  grow(2);
  // Of the first sync with states of streams, the part of one stream alone is committed.
  await world.breakOffAt(2);
  t.not((await run()).codes.length, 0);
  await world.breakOffAt(0);
  t.ok((await rows()).includes(3), 'the other stands at the old state');
  grow(1);
  t.strictSame((await run(undefined, 1)).codes, ['state_kind_changed']);
  t.strictSame((await run()).codes, []);
  t.strictSame(await rows(), [6, 6]);
});

t.test(
  'a catalog that moves one table at a time cannot hold streams that share a state, and the run says so',
  async (t) => {
    const world = await sharedStatesWorld(t, async (warehouse) => {
      const server = await startRestCatalog({ io: localFileIO({ root: warehouse }), warehouse, manyTables: false });
      t.teardown(() => server.close());
      return { TABLE_CATALOG_URI: server.uri };
    });
    const { grow, run, set, rows } = await sourceOf(world, 'GLOBAL');
    grow(3);
    t.match((await run()).codes, ['catalog_moves_one_table']);
    t.strictSame(await rows(), [0, 0], 'nothing is written');
    await set('b', { enabled: false });
    t.strictSame((await run()).codes, [], 'each by a source of its own is what its hint advises');
    t.strictSame(await rows(), [3, 0]);
  },
);
