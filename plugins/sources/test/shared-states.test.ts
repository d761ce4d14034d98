import fc from 'fast-check';
import t from 'tap';
import { inLane } from '../../../test/lane.ts';
import { coveredBy, type GrowingSource, rowsWanted, type StateKind, says } from './said-states.ts';
import { attempt, type SharedStatesWorld, type SharedStream, sharedStatesWorld } from './shared-states-world.ts';

/** Cases of a run; a program brings its own number. */
const CASES = Number(process.argv[2] ?? (inLane('properties') ? 60 : 4));
const KINDS: readonly StateKind[] = ['STREAM', 'GLOBAL', 'LEGACY', 'none'];
/** Attempts of one run, of which all but the last few may be broken off. */
const MAX_ATTEMPTS = 6;

/** How an attempt ends before its time: in the middle of a commit, or because the connector does. */
type Fault = { at: 'pointer'; nth: number } | { at: 'connector'; share: number };

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ at: fc.constant('pointer' as const), nth: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      at: fc.constant('connector' as const),
      share: fc.double({ min: 0, max: 0.99, noNaN: true }),
    }),
  },
);
const write = fc.constantFrom('append' as const, 'append' as const, 'merge' as const, 'overwrite' as const);
const scene = fc.record({
  kind: fc.constantFrom(...KINDS, 'GLOBAL' as const, 'LEGACY' as const),
  writes: fc.array(write, { minLength: 1, maxLength: 3 }),
  runs: fc.array(
    fc.record({
      more: fc.array(fc.nat({ max: 9 }), { minLength: 4, maxLength: 4 }),
      faults: fc.array(fault, { minLength: 1, maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  seed: fc.nat(),
});

t.test(
  'whatever crashes wherever, a table has the rows that its state covers, each once, and in the end all',
  async (t) => {
    const world = await sharedStatesWorld(t);
    let made = 0;
    await fc.assert(
      fc.asyncProperty(scene, async ({ kind, writes, runs, seed }) => {
        made += 1;
        const name = `source${made}`;
        const streams = (['append', ...writes] as const).map((write, at): SharedStream => ({ name: `s${at}`, write }));
        const source: GrowingSource = { kind, streams, sizes: new Map() };
        const sourceId = await world.source(name, streams);
        const tables = await tablesOf(world, sourceId);
        // A connector without states is read anew by each run, and what is appended is there anew as well.
        for (const { more, faults } of kind === 'none' ? runs.slice(0, 1) : runs) {
          for (const [at, { name }] of streams.entries())
            source.sizes.set(name, (source.sizes.get(name) ?? 0) + (more[at] ?? 0));
          const runId = await world.start(sourceId);
          for (let tried = 0, codes: readonly string[] = ['begun']; codes.length > 0; tried += 1) {
            if (tried === MAX_ATTEMPTS) throw new Error(`the run does not end: ${codes}`);
            const broken = faults[tried];
            await world.breakOffAt(broken?.at === 'pointer' ? broken.nth : 0);
            const share = broken?.at === 'connector' ? broken.share : 1;
            codes = await attempt(world, { runId, sourceId, says: says(source, seed + tried, share) });
            await judge(world, source, { tables, isDone: codes.length === 0 });
          }
          await world.kernel.runs.finish(world.tenant, runId, { status: 'succeeded' });
        }
      }),
      { numRuns: CASES },
    );
  },
);

interface TableOfStream {
  dataset: string;
  key: string;
}

async function tablesOf({ database }: SharedStatesWorld, sourceId: string): Promise<Map<string, TableOfStream>> {
  const rows = await database.peek(
    'select name, stream_id, destination_table from sources.stream where source_id = $1',
    [sourceId],
  );
  return new Map(
    rows.map(({ name, stream_id, destination_table: table }) => [
      String(name),
      { dataset: `bronze.demo.${table}`, key: `${stream_id}/${table}` },
    ]),
  );
}

/** Throws unless each table holds what its stored state covers, and in the end what the source has. */
async function judge(
  { tables, tenant, rows }: SharedStatesWorld,
  { kind, streams, sizes }: GrowingSource,
  { tables: places, isDone }: { tables: ReadonlyMap<string, TableOfStream>; isDone: boolean },
): Promise<void> {
  const states = new Set<string | undefined>();
  for (const stream of streams) {
    const { name, write } = stream;
    const { dataset, key } = places.get(name) ?? { dataset: '', key: '' };
    const state = (await tables.checkpoint(tenant, key))?.state as string | undefined;
    if (write !== 'overwrite') states.add(state);
    const has = sorted(await rows(dataset));
    const size = sizes.get(name) ?? 0;
    const wanted = [kind === 'none' || write === 'overwrite' ? size : coveredBy(state ?? undefined, name)];
    if (isDone && wanted[0] !== size) throw new Error(`${name} is done at ${wanted} of ${size}`);
    const isOpen = !isDone && (kind === 'none' || write === 'overwrite');
    if (isOpen) continue;
    const right = sorted(rowsWanted(stream, wanted[0] ?? 0));
    if (has !== right) throw new Error(`${name} (${write}) has ${has}, its state ${state} covers ${right}`);
  }
  const isShared = kind === 'GLOBAL' || kind === 'LEGACY';
  if (isShared && states.size > 1) throw new Error(`streams stand at ${states.size} places`);
}

function sorted(rows: readonly (readonly [number, number])[]): string {
  return JSON.stringify(rows.toSorted(([a], [b]) => a - b));
}
