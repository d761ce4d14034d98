import fc from 'fast-check';
import t from 'tap';
import { decide } from '../src/model/sync/decide.ts';
import type { MappedLine } from '../src/model/sync/mapping.ts';
import { runSync, type SyncPorts } from '../src/model/sync/run-sync.ts';
import type { SyncMode } from '../src/model/sync/words.ts';

/** A specification is how rows become hashes; a snapshot is rows by key. */
type Rows = ReadonlyMap<string, string>;

interface Snapshot {
  number: number;
  rows: Rows;
}

interface RunRow {
  spec: string;
  epoch: number;
  force: boolean;
  mode?: SyncMode;
  snapshot?: Snapshot;
  chunks: Map<number, string>;
}

/** What is stored: each change of it is one step that takes place whole or not at all. */
interface Store {
  entities: Map<string, { hash: string; run: number }>;
  claims: Map<string, { hash: string; run: number; unseen?: number }>;
  applied: { spec: string; snapshot: Snapshot; run: number } | undefined;
  dirty: number | undefined;
  runs: Map<number, RunRow>;
}

class Killed extends Error {}
class Refused extends Error {}

const hashOf = (spec: string, value: string) => `${spec}:${value}`;

/** The chunk of a line, so that small worlds have several. */
const LINES = 3;

interface World {
  store: Store;
  table: Snapshot[];
  bound: boolean;
  /** What happens at a step: it is killed before, its answer is lost behind, or it comes twice. */
  fate(step: string): 'done' | 'killed' | 'lost' | 'doubled';
  /** Steps of attempts that were overtaken, which come late. */
  zombies: (() => void)[];
}

function portsOf(world: World, runId: number, epoch: number): SyncPorts {
  const { store } = world;
  const run = store.runs.get(runId) as RunRow;
  const step = <T>(name: string, work: () => T): T => {
    const fenced = (): T => {
      if (run.epoch !== epoch) throw new Refused('lease_lost');
      return work();
    };
    const fate = world.fate(name);
    if (fate === 'killed') {
      world.zombies.push(fenced);
      throw new Killed(name);
    }
    const done = fenced();
    if (fate === 'doubled') fenced();
    if (fate === 'lost') {
      world.zombies.push(fenced);
      throw new Killed(name);
    }
    return done;
  };
  const linesOf = (of: 'added' | 'all'): MappedLine[] => {
    const before = of === 'added' ? store.applied?.snapshot.rows : undefined;
    return [...(run.snapshot?.rows ?? [])]
      .filter(([key]) => before === undefined || !before.has(key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, value]) => ({ k, h: hashOf(run.spec, value), f: null, d: false, p: {}, l: [] }));
  };
  return {
    async assertAllowed() {
      if (!world.bound) throw new Refused('ontology_binding_missing');
    },
    plan: async () =>
      step('plan', () => {
        if (run.mode === undefined) {
          const snapshot = world.table.at(-1) as Snapshot;
          const { applied } = store;
          const flags = { force: run.force, dirty: store.dirty !== undefined && store.dirty !== runId };
          run.snapshot = snapshot;
          run.mode = decide(applied?.spec ?? null, run.spec, changeOf(applied?.snapshot, snapshot), flags).mode;
        }
        return { mode: run.mode };
      }),
    becomeDiff: async () =>
      step('becomeDiff', () => {
        run.mode = 'diff';
      }),
    async withMapped(of, work) {
      const lines = linesOf(of);
      return work({
        ...{ read: lines.length, nulls: 0, doubled: { keys: 0, hashes: [] } },
        async *lines() {
          // A line is so large that a chunk holds three.
          for (const line of lines) yield { line, bytes: Math.floor((8 * 1_048_576) / LINES) };
        },
      });
    },
    noteRead: async () => step('noteRead', () => undefined),
    areClaimed: async (keys) => keys.some((key) => (store.claims.get(key)?.run ?? runId) !== runId),
    takeRange: async ({ seq, lines, after, until, digest }, mode) =>
      step('takeRange', () => {
        const known = run.chunks.get(seq);
        if (known !== undefined && known !== digest) throw new Refused('chunk_changed');
        if (known !== undefined) return;
        const keys = new Set(lines.map(({ k }) => k));
        const within = (key: string) => key > after && (until === null || key <= until);
        if (mode !== 'append')
          for (const [key, claim] of store.claims) if (within(key) && !keys.has(key)) claim.unseen = runId;
        for (const { k, h } of lines) {
          if (mode !== 'full' && store.claims.get(k)?.hash === h) continue;
          store.entities.set(k, { hash: h, run: runId });
          store.claims.set(k, { hash: h, run: runId });
          store.dirty = runId;
        }
        run.chunks.set(seq, digest);
      }),
    assertAccepted: async () => step('assertAccepted', () => undefined),
    endFormer: async () => false,
    endUnseen: async () =>
      step('endUnseen', () => {
        const unseen = [...store.claims].filter(([, claim]) => claim.unseen === runId).slice(0, 2);
        for (const [key] of unseen) {
          store.claims.delete(key);
          store.entities.delete(key);
          store.dirty = runId;
        }
        return unseen.length > 0;
      }),
  };
}

function changeOf(before: Snapshot | undefined, now: Snapshot) {
  if (before === undefined) return 'unknown';
  if (before.number === now.number) return 'same';
  const kept = [...before.rows].every(([key, value]) => now.rows.get(key) === value);
  return kept ? (now.rows.size === before.rows.size ? 'same' : 'added') : 'changed';
}

/** Carries a run out with attempts until it ends or is given up. */
async function carryOut(world: World, runId: number, attempts: number): Promise<'applied' | 'failed'> {
  const { store } = world;
  const run = store.runs.get(runId) as RunRow;
  for (let number = 1; number <= attempts; number += 1) {
    run.epoch += 1;
    // What an overtaken attempt was about to do comes now: it changes nothing.
    const before = JSON.stringify([[...store.entities], [...store.claims], store.dirty]);
    for (const late of world.zombies.splice(0)) {
      try {
        late();
        throw new Error('a step of an overtaken attempt was taken');
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
    if (JSON.stringify([[...store.entities], [...store.claims], store.dirty]) !== before)
      throw new Error('a zombie changed the store');
    try {
      const ended = await runSync(portsOf(world, runId, run.epoch));
      if (world.fate('finish') === 'killed') continue;
      const snapshot = run.snapshot as Snapshot;
      if (ended === 'skipped' && store.applied !== undefined) store.applied.snapshot = snapshot;
      else {
        store.applied = { spec: run.spec, snapshot, run: runId };
        store.dirty = undefined;
      }
      return 'applied';
    } catch (error) {
      if (error instanceof Refused) return 'failed';
      if (!(error instanceof Killed)) throw error;
    }
  }
  return 'failed';
}

const Value = fc.constantFrom('x', 'y');
const TableRows = fc.uniqueArray(fc.tuple(fc.constantFrom(...'abcdefghijkl'), Value), { selector: ([key]) => key });
const FATES = ['done', 'done', 'done', 'done', 'killed', 'lost', 'doubled'] as const;
const Run = fc.record({
  change: fc.constantFrom('none', 'add', 'replace', 'roll_back'),
  rows: TableRows,
  spec: fc.constantFrom('A', 'A', 'B'),
  force: fc.constantFrom(false, false, true),
  fates: fc.array(fc.constantFrom(...FATES), { maxLength: 14 }),
  attempts: fc.integer({ min: 1, max: 4 }),
  revoked: fc.constantFrom(false, false, false, true),
});

/** The table as a change leaves it. */
function moved(table: Snapshot[], change: string, rows: readonly (readonly [string, string])[]): void {
  const now = table.at(-1) as Snapshot;
  const number = table.length;
  if (change === 'add') table.push({ number, rows: new Map([...rows, ...now.rows]) });
  if (change === 'replace') table.push({ number, rows: new Map(rows) });
  if (change === 'roll_back') table.push({ ...(table[Math.floor(number / 2)] as Snapshot), number });
}

t.test(
  '1,500 worlds of kills, doubles, lost answers, zombies and revoked bindings → the next run leaves exactly the rows',
  async (t) => {
    const seen = { applied: 0, failed: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(Run, { minLength: 1, maxLength: 6 }), async (runs) => {
        let fates: string[] = [];
        const world: World = {
          store: { entities: new Map(), claims: new Map(), applied: undefined, dirty: undefined, runs: new Map() },
          table: [{ number: 0, rows: new Map() }],
          bound: true,
          fate: () => (fates.shift() ?? 'done') as 'done',
          zombies: [],
        };
        const { store, table } = world;
        const last = {
          ...(runs.at(-1) as (typeof runs)[0]),
          fates: [],
          attempts: 1,
          revoked: false,
          change: 'none',
          force: false,
        };
        for (const [at, { change, rows, spec, force, attempts, revoked, ...run }] of [...runs, last].entries()) {
          moved(table, change, rows);
          fates = [...run.fates];
          world.bound = !revoked;
          world.zombies = [];
          store.runs.set(at, { spec, epoch: 0, force, chunks: new Map() });
          const before = store.applied && { ...store.applied };
          const ended = await carryOut(world, at, attempts);
          seen[ended] += 1;
          if (ended === 'failed') {
            t.strictSame(store.applied, before, 'a failed run leaves what is applied');
            continue;
          }
          const wanted = [...(store.runs.get(at)?.snapshot?.rows ?? [])].map(([key, value]) => [
            key,
            hashOf(spec, value),
          ]);
          const found = [...store.entities].map(([key, { hash }]) => [key, hash]);
          const claimed = [...store.claims].map(([key, { hash }]) => [key, hash]);
          if (JSON.stringify(found.toSorted()) !== JSON.stringify(wanted.toSorted()))
            throw new Error(`entities: ${found} for ${wanted}`);
          if (JSON.stringify(claimed.toSorted()) !== JSON.stringify(wanted.toSorted()))
            throw new Error(`claims: ${claimed}`);
          if (store.dirty !== undefined) throw new Error('an applied run leaves nothing dirty');
        }
      }),
      { numRuns: 1_500, seed: 49 },
    );
    t.ok(seen.applied > 2_000 && seen.failed > 500, JSON.stringify(seen));
  },
);
