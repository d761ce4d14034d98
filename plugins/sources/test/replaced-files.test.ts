import fc from 'fast-check';
import t from 'tap';
import { inLane } from '../../../test/lane.ts';
import { attempt, type Says, type SharedStatesWorld, sharedStatesWorld } from './shared-states-world.ts';

const CASES = Number(process.argv[2] ?? (inLane('properties') ? 60 : 4));
/** Attempts of one run, of which all but the last may be broken off. */
const MAX_ATTEMPTS = 4;
const STREAM = 'rows';
const FILES = ['a.csv', 'b.csv', 'c.csv'];

/** What the files hold, by name: the ids of their rows, in order. The state of the stream tells it of what was read. */
type Held = Readonly<Record<string, readonly number[]>>;
type Fault = { at: 'pointer'; nth: number } | { at: 'connector'; share: number };

const change = fc.record({
  file: fc.constantFrom(...FILES),
  how: fc.constantFrom('edit', 'append', 'truncate', 'empty', 'remove'),
  rows: fc.integer({ min: 1, max: 3 }),
});
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ at: fc.constant('pointer' as const), nth: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ at: fc.constant('connector' as const), share: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
);
const runs = fc.array(
  fc.record({
    changes: fc.array(change, { minLength: 1, maxLength: 3 }),
    faults: fc.array(fault, { maxLength: MAX_ATTEMPTS - 1 }),
  }),
  { minLength: 2, maxLength: 3 },
);

/** The files of a folder that changes; every row that was ever written has a number of its own. */
function folder() {
  const held = new Map<string, number[]>();
  let next = 0;
  const fresh = (count: number): number[] => Array.from({ length: count }, () => next++);
  return {
    held,
    change({ file, how, rows }: { file: string; how: string; rows: number }): void {
      const before = held.get(file);
      if (how === 'remove') held.delete(file);
      else if (before === undefined || how === 'edit') held.set(file, [...(before ?? []).slice(0, 1), ...fresh(rows)]);
      else if (how === 'append') before.push(...fresh(rows));
      else held.set(file, how === 'empty' ? [] : before.slice(0, -1));
    },
  };
}

const analyticsOf = (type: string, value: object) => ({
  type: 'TRACE',
  trace: { type: 'ANALYTICS', emitted_at: 1, analytics: { type, value: JSON.stringify({ stream: STREAM, ...value }) } },
});
const noteOf = (kind: string, more = {}) => analyticsOf('weir_read_note', { kind, count: 1, ...more });

/**
 * What the connector says: a file that is not merely longer than the state knows it comes whole, in place of its rows. Each
 * file is noted, and one more that can never be read.
 */
function says(held: ReadonlyMap<string, readonly number[]>, share: number): Says {
  return ({ state }) => {
    const [known] = JSON.parse(state) as { stream: { stream_state?: { held: Held } } }[];
    const read: Record<string, readonly number[]> = { ...known?.stream.stream_state?.held };
    const isFirst = known?.stream.stream_state === undefined;
    const lines: object[] = [];
    for (const [file, ids] of [...held].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const before = read[file] ?? [];
      if (JSON.stringify(before) === JSON.stringify(ids)) {
        lines.push(noteOf('file_unchanged'));
        continue;
      }
      const isLonger = read[file] !== undefined && before.every((id, at) => ids[at] === id);
      if (!isLonger && !isFirst) lines.push(analyticsOf('weir_file_replaced', { file }));
      for (const id of isLonger ? ids.slice(before.length) : ids) {
        const record = { stream: STREAM, data: { id, key: 0 }, emitted_at: 1, meta: { file } };
        lines.push({ type: 'RECORD', record });
      }
      lines.push(noteOf('file_read'));
      read[file] = [...ids];
      const stream = { stream_descriptor: { name: STREAM }, stream_state: { held: { ...read } } };
      lines.push({ type: 'STATE', state: { type: 'STREAM', stream } });
    }
    lines.push(noteOf('file_left_out', { file: 'x.csv', code: 'packing_damaged' }));
    const stream_status = { stream_descriptor: { name: STREAM }, status: 'COMPLETE' };
    lines.push({ type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: 1, stream_status } });
    const said = lines.slice(0, Math.floor(lines.length * share));
    return { lines: said.map((line) => JSON.stringify(line)), code: share < 1 ? 1 : 0 };
  };
}

t.test('files change and attempts are broken off anywhere → the table has what its state has read', async (t) => {
  const world = await sharedStatesWorld(t);
  let made = 0;
  let replaced = 0;
  const holds = fc.asyncProperty(runs, async (rounds) => {
    made += 1;
    const sourceId = await world.source(`files${made}`, [{ name: STREAM, write: 'append' }]);
    const source = folder();
    for (const file of FILES) source.change({ file, how: 'edit', rows: 2 });
    for (const { changes, faults } of [{ changes: [], faults: [] }, ...rounds]) {
      for (const one of changes) source.change(one);
      const before = await read(world, sourceId);
      const runId = await world.start(sourceId);
      for (let tried = 0, codes: readonly string[] = ['begun']; codes.length > 0; tried += 1) {
        if (tried === MAX_ATTEMPTS) throw new Error(`the run does not end: ${codes}`);
        const broken = faults[tried];
        await world.breakOffAt(broken?.at === 'pointer' ? broken.nth : 0);
        const share = broken?.at === 'connector' ? broken.share : 1;
        codes = await attempt(world, { runId, sourceId, says: says(source.held, share) });
        const { state, ids } = await read(world, sourceId);
        const wanted = Object.values(state).flat();
        if (sorted(ids) !== sorted(wanted)) throw new Error(`${sorted(ids)} are there of ${JSON.stringify(state)}`);
      }
      const { ids } = await read(world, sourceId);
      for (const [file, now] of source.held) {
        const lost = now.filter((id) => !ids.includes(id));
        if (lost.length > 0) throw new Error(`${file} has ${now}, and ${lost} are not in the table`);
      }
      const changed = [...source.held].filter(
        ([file, now]) => JSON.stringify(before.state[file] ?? []) !== JSON.stringify(now),
      ).length;
      const figures = await world.database.peek(FIGURES, [runId]);
      const wanted = [{ read: changed, unchanged: source.held.size - changed, left_out: 1, named: 1, total: changed }];
      if (JSON.stringify(figures) !== JSON.stringify(wanted))
        throw new Error(`${JSON.stringify(figures)} and not ${JSON.stringify(wanted)}`);
      if (before.ids.some((id) => !ids.includes(id))) replaced += 1;
      await world.kernel.runs.finish(world.tenant, runId, { status: 'succeeded' });
    }
  });
  await fc.assert(holds, { numRuns: CASES });
  t.ok(replaced > 0, `rows went in ${replaced} runs`);
});

/** What the run has of its one stream, and of all streams. */
const FIGURES = `
select stream.files_read::int as read, stream.files_unchanged::int as unchanged, stream.files_left_out::int as left_out,
  jsonb_array_length(stream.left_out) as named, run.files_read::int as total
from sources.stream_run stream join sources.sync_run run using (run_id) where run_id = $1`;

/** The ids that the table has, and what the stored state says of the files that were read. */
async function read({ database, tables, tenant, rows }: SharedStatesWorld, sourceId: string) {
  const sql = 'select stream_id, destination_table from sources.stream where source_id = $1';
  const [row] = await database.peek(sql, [sourceId]);
  const table = String(row?.destination_table);
  const checkpoint = await tables.checkpoint(tenant, `${row?.stream_id}/${table}`);
  if (checkpoint === undefined) return { state: {} as Held, ids: [] };
  const state = JSON.parse(String(checkpoint.state)) as { stream: { stream_state: { held: Held } } };
  const ids = (await rows(`bronze.demo.${table}`)).map(([id]) => id);
  return { state: state.stream.stream_state.held, ids };
}

const sorted = (ids: readonly number[]): string => JSON.stringify(ids.toSorted((a, b) => a - b));
