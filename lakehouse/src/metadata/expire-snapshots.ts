import { findSnapshot, type Snapshot, type TableMetadata } from './metadata.ts';
import { MAIN_BRANCH } from './table-update.ts';

/** Which snapshots of a table are kept. */
export interface Retention {
  /** Milliseconds since 1970 from which on every snapshot is kept. */
  readonly since: number;
  /** Newest snapshots of each branch that are kept whatever their age. */
  readonly atLeast: number;
  /** Decimal ids of snapshots that somebody needs. */
  readonly held: ReadonlySet<string>;
}

/** Table properties of the Iceberg specification that go before the platform's own rule. */
const [AGE, COUNT, IS_CLEANED] = [
  'history.expire.max-snapshot-age-ms',
  'history.expire.min-snapshots-to-keep',
  'gc.enabled',
];

const byIdOf = ({ snapshots }: TableMetadata) => new Map(snapshots.map((one) => [one['snapshot-id'], one]));

/** A snapshot and its parents, newest first, as far as they are kept. */
function lineOf(byId: ReadonlyMap<bigint, Snapshot>, head: bigint): Snapshot[] {
  const line: Snapshot[] = [];
  for (let at = byId.get(head); at !== undefined; ) {
    line.push(at);
    const parent = at['parent-snapshot-id'];
    at = parent === undefined ? undefined : byId.get(parent);
  }
  return line;
}

/**
 * The current snapshot and those before it, newest first. Where one between has expired, what we committed before it follows:
 * our commits are on the main line alone.
 */
export function mainLine(metadata: TableMetadata): Snapshot[] {
  const byId = byIdOf(metadata);
  const ours = metadata.snapshots
    .filter(({ summary }) => summary['weir.commit-id'] !== undefined)
    .sort((a, b) => Number(b['sequence-number'] - a['sequence-number']));
  const line: Snapshot[] = [];
  for (let at = findSnapshot(metadata); at !== undefined; ) {
    const { 'sequence-number': sequence, 'parent-snapshot-id': parent } = at;
    line.push(at);
    at = parent === undefined ? undefined : (byId.get(parent) ?? ours.find((one) => one['sequence-number'] < sequence));
  }
  return line;
}

/** The newest snapshot of each stream, and the newest one that replaced all rows: commits and replays go by them. */
function landmarks(line: readonly Snapshot[]): Snapshot[] {
  const seen = new Set<string>();
  return line.filter(({ summary }) => {
    const marks = [
      summary['weir.stream-id'] === undefined ? '' : `stream ${summary['weir.stream-id']}`,
      summary['weir.mode'] === 'overwrite' ? 'overwrite' : '',
    ].filter((mark) => mark !== '' && !seen.has(mark));
    for (const mark of marks) seen.add(mark);
    return marks.length > 0;
  });
}

/** A number that a branch or the table sets for itself, else the platform's. */
const own = (value: unknown, otherwise: number): number =>
  value !== undefined && /^\d+$/.test(String(value)) ? Number(value) : otherwise;

/**
 * The snapshots of a table that nothing keeps: old, not among the newest of any branch, named by no branch or tag, held by
 * nobody, and no landmark. Properties of the table and its branches go before `since` and `atLeast`. Pure.
 */
export function expirableSnapshots(
  metadata: TableMetadata,
  { since, atLeast, held, now }: Retention & { readonly now: number },
): Snapshot[] {
  const { properties, refs, snapshots } = metadata;
  if (properties[IS_CLEANED] === 'false') return [];
  const age = own(properties[AGE], now - since);
  const count = own(properties[COUNT], atLeast);
  const byId = byIdOf(metadata);
  const main = mainLine(metadata);
  const kept = new Set<Snapshot>(landmarks(main));
  const keepLine = (line: readonly Snapshot[], limits: Readonly<Record<string, unknown>>): void => {
    const from = now - own(limits['max-snapshot-age-ms'], age);
    const newest = Math.max(1, own(limits['min-snapshots-to-keep'], count));
    for (const [at, one] of line.entries()) if (at < newest || one['timestamp-ms'] >= from) kept.add(one);
  };
  keepLine(main, refs[MAIN_BRANCH] ?? {});
  for (const [name, ref] of Object.entries(refs)) {
    const line = lineOf(byId, ref['snapshot-id']);
    if (ref.type !== 'branch') line.slice(0, 1).forEach((one) => void kept.add(one));
    else if (name !== MAIN_BRANCH) keepLine(line, ref);
  }
  // A snapshot of no branch, such as one that was rolled back, is kept by its age alone.
  return snapshots.filter(
    (one) => !kept.has(one) && !held.has(String(one['snapshot-id'])) && one['timestamp-ms'] < now - age,
  );
}
