import type { SimWorld } from './commit-operations.ts';
import { placeOf } from './commit-operations.ts';
import { rowsAt, type Scenario, type SimStream, type SourceRow } from './scenario.ts';
import { headOf, type Metadata, quarantineOf, rowsOf, type StoredRow, tableOf } from './world.ts';

/** What must hold of a world after each step; answers what does not, in a sentence. */
export function checker(scenario: Scenario, world: SimWorld): () => string | undefined {
  const histories = new Map<string, readonly string[]>();
  const checks = scenario.streams.flatMap((stream) => [
    () => isLinear(world, stream.id, histories),
    () => isLinear(world, quarantineOf(stream.id), histories),
    () => hasItsFiles(world, stream.id),
    () => keepsForeign(world, stream),
    () => hasItsRows(world, stream, scenario),
    () => keepsPolicy(world, stream),
  ]);
  return () => {
    for (const check of [...checks, () => isKnown(world)]) {
      const fault = check();
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** A table's history only grows, each snapshot on top of the one before. */
function isLinear(world: SimWorld, name: string, seen: Map<string, readonly string[]>): string | undefined {
  const { snapshots } = tableOf(world, name);
  const before = seen.get(name) ?? [];
  const ids = snapshots.map(({ id }) => id);
  seen.set(name, ids);
  if (before.some((id, at) => ids[at] !== id)) return `the history of ${name} lost a snapshot`;
  const isBroken = snapshots.some(({ parent }, at) => parent !== (ids[at - 1] ?? null));
  return isBroken ? `the history of ${name} is not linear` : undefined;
}

function hasItsFiles(world: SimWorld, name: string): string | undefined {
  const { location, snapshots } = tableOf(world, name);
  const wanted = [location, ...snapshots.flatMap(({ live }) => live)];
  const missing = wanted.find((file) => !world.files.has(file));
  return missing && `${missing} is gone from under ${name}`;
}

/** Rows of another writer stay, unless a commit was to replace all rows. */
function keepsForeign(world: SimWorld, { id, write }: SimStream): string | undefined {
  if (write === 'overwrite') return undefined;
  const live = new Set(headOf(tableOf(world, id))?.live);
  const lost = (world.foreign.get(id) ?? []).find((file) => !live.has(file));
  return lost && `the foreign file ${lost} is gone from ${id}`;
}

/** The rows of the table are exactly those that a checkpoint covers, or that one covers which is about to be stored. */
function hasItsRows(world: SimWorld, stream: SimStream, scenario: Scenario): string | undefined {
  const own = ownRows(world, tableOf(world, stream.id));
  const bad = ownRows(world, tableOf(world, quarantineOf(stream.id)));
  if (!stream.tellsStates) return wholeRuns(world, stream, { own, scenario });
  const covered = (upTo: number | undefined): number => rowsAt(scenario, stream, upTo ?? 0);
  const state = covered(world.checkpoints.get(stream.id)?.state);
  const ahead = [...world.pending.values()].flatMap(({ request }) =>
    request.checkpoints.flatMap((of) => (of.stream === stream.id ? covered(of.checkpoint.state) : [])),
  );
  const covers = (rows: readonly StoredRow[], wanted: (upTo: number) => readonly SourceRow[]): boolean =>
    [state, ...ahead.filter((other) => other > state)].some((upTo) => sameIds(rows, wanted(upTo)));
  if (!covers(own, (upTo) => expected(stream, upTo))) {
    return `${stream.id} has rows ${idsOf(own)}, its checkpoint covers ${idsOf(expected(stream, state))}`;
  }
  if (!covers(bad, (upTo) => stream.rows.slice(0, upTo).filter(({ isBad }) => isBad))) {
    return `the quarantine of ${stream.id} has rows ${idsOf(bad)} at state ${state}`;
  }
  return undefined;
}

function expected({ write, rows, files }: SimStream, upTo: number): readonly SourceRow[] {
  const beginOf = new Map([...(files ?? [])].filter(([row]) => row < upTo).map(([row, file]) => [file, row]));
  const good = rows.slice(0, upTo).filter(({ isBad, file }, at) => !isBad && at >= (beginOf.get(file) ?? 0));
  if (write !== 'merge') return good;
  return [...new Map(good.map((row) => [row.key, row])).values()].filter(({ deletes }) => !deletes);
}

/** Without states each run has put all of the source there or nothing; an overwrite leaves one run's rows. */
function wholeRuns(
  world: SimWorld,
  stream: SimStream,
  { own, scenario }: { own: readonly StoredRow[]; scenario: Scenario },
): string | undefined {
  const runs = Map.groupBy(own, ({ run }) => run);
  if (stream.write === 'overwrite' && runs.size > 1) return `${stream.id} has rows of ${runs.size} generations`;
  for (const [run, rows] of runs) {
    const size = stream.sizes[Math.min(Number(run.slice(1)), scenario.runs - 1)] ?? 0;
    if (
      !sameIds(
        rows,
        stream.rows.slice(0, size).filter(({ isBad }) => !isBad),
      )
    ) {
      return `${stream.id} has rows ${idsOf(rows)} of ${run}, the source had ${size}`;
    }
  }
  const checkpoint = world.checkpoints.get(stream.id);
  // Where checkpoints are stored apart, the table may have the next generation already.
  const isAhead = [...world.pending.values()].some(({ streams }) => streams.includes(stream.id));
  if (checkpoint === undefined || runs.has(checkpoint.run) || isAhead) return undefined;
  const size = stream.sizes[Math.min(Number(checkpoint.run.slice(1)), scenario.runs - 1)] ?? 0;
  const hasGood = stream.rows.slice(0, size).some(({ isBad }) => !isBad);
  return hasGood ? `${stream.id} lacks the rows of ${checkpoint.run}, which is told to be whole` : undefined;
}

function keepsPolicy(world: SimWorld, { id, policy }: SimStream): string | undefined {
  const fresh = ownRows(world, tableOf(world, id)).filter(({ hasNew }) => hasNew);
  if (policy === 'freeze' && fresh.length > 0) return `${id} is frozen and has rows with new fields`;
  const isLeftOut = policy === 'evolve' && fresh.some(({ hasColumn }) => !hasColumn);
  return isLeftOut ? `${id} evolves and has new fields without a column` : undefined;
}

/** Every file is part of a table or in the ledger. */
function isKnown(world: SimWorld): string | undefined {
  const live = new Set([...world.tables.values()].flatMap(({ snapshots }) => snapshots.flatMap((one) => one.live)));
  for (const file of world.files.keys()) {
    if (live.has(file) || world.kept.has(file)) continue;
    if (!world.ledger.has(file) && !world.ledger.has(placeOf(file))) return `nobody knows of ${file}`;
  }
  return undefined;
}

function ownRows(world: SimWorld, table: Metadata): StoredRow[] {
  return rowsOf(world, headOf(table)?.live ?? []).filter(({ id }) => id >= 0);
}

function sameIds(rows: readonly SourceRow[], wanted: readonly SourceRow[]): boolean {
  return idsOf(rows) === idsOf(wanted);
}

function idsOf(rows: readonly SourceRow[]): string {
  return `[${rows.map(({ id }) => id).sort((a, b) => a - b)}]`;
}
