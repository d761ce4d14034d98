import type { LiveFile } from '../manifest/live-file.ts';
import { currentSchema, type Snapshot, type TableMetadata } from '../metadata/metadata.ts';
import type { Scanner } from './scan.ts';

/** What became of the rows of a table between two snapshots. */
export type RowsSince =
  /** The same rows, though perhaps in other files. */
  | { readonly kind: 'none' }
  /** Rows came, and none went: they are those of `files`. */
  | { readonly kind: 'added'; readonly files: readonly LiveFile[] }
  /** Every row that came or went is in `files`, with others: new files and old ones that lost rows, each with all of its rows. */
  | { readonly kind: 'changed'; readonly files: readonly LiveFile[] }
  | { readonly kind: RowsUnknown };

/** Why the answer is unknown: all files are others, the old snapshot is gone or not before the new one, or fields are. */
export type RowsUnknown = 'overwritten' | 'expired' | 'rolled_back' | 'columns_changed';

/** Operations after which every row is still there. */
const KEEPING: readonly string[] = ['append', 'replace'];

/**
 * The rows that a table has more than at an earlier snapshot; null: than before its first. Rewritten files count as none
 * where every snapshot between is kept and says so; else what they hold is `changed`.
 */
export async function rowsSince(
  scanner: Pick<Scanner, 'files'>,
  metadata: TableMetadata,
  { from, to }: { from: string | null; to: string | null },
): Promise<RowsSince> {
  if (from === to) return { kind: 'none' };
  if (to === null) return { kind: 'overwritten' };
  const before = from === null ? undefined : metadata.snapshots.find((one) => String(one['snapshot-id']) === from);
  if (from !== null && before === undefined) return { kind: 'expired' };
  if (before !== undefined && !keepsFields(metadata, before)) return { kind: 'columns_changed' };
  const old = before === undefined ? [] : await scanner.files(metadata, before['snapshot-id']);
  const now = await scanner.files(metadata, to);
  const known = new Map(old.map((file) => [file.location, file]));
  const there = new Map(now.map((file) => [file.location, file]));
  const fresh = now.filter(({ location }) => !known.has(location));
  const lost = old.filter((file) => deletesOf(file) !== deletesOf(there.get(file.location)));
  if (lost.length === 0) return added(fresh);
  const { line, isWhole, isBefore } = lineBetween(metadata, { from, to });
  if (isWhole && line.every(({ summary }) => KEEPING.includes(String(summary.operation)))) {
    return added(await addedByAppends(scanner, metadata, line));
  }
  if (!isBefore) return { kind: 'rolled_back' };
  if (old.every(({ location }) => !there.has(location))) return { kind: 'overwritten' };
  // One file of deletes may be about new files and old ones, which lost no row by it when they were read.
  return { kind: 'changed', files: [...fresh, ...lost].map((file) => ({ ...file, deletes: [] })) };
}

const added = (files: readonly LiveFile[]): RowsSince =>
  files.length === 0 ? { kind: 'none' } : { kind: 'added', files };

/** What takes rows of a file away; another text than any for a file that is not there. */
const deletesOf = (file: LiveFile | undefined): string =>
  file === undefined ? 'none' : JSON.stringify(file.deletes.map(({ location }) => location).toSorted());

/** Whether each field of a snapshot's schema is still there under its name: rows of before have the same values in it. */
function keepsFields(metadata: TableMetadata, { 'schema-id': id }: Snapshot): boolean {
  const names = new Map(currentSchema(metadata).fields.map((field) => [field.id, field.name]));
  const fields = metadata.schemas.find((one) => one['schema-id'] === id)?.fields ?? [];
  return fields.every((field) => names.get(field.id) === field.name);
}

/** The snapshots behind `from` up to `to`, newest first, as far as the table keeps them. */
function lineBetween(metadata: TableMetadata, { from, to }: { from: string | null; to: string }) {
  const byId = new Map(metadata.snapshots.map((one) => [String(one['snapshot-id']), one]));
  const line: Snapshot[] = [];
  for (let at: string | null = to; at !== from; ) {
    const snapshot: Snapshot | undefined = at === null ? undefined : byId.get(at);
    // Where one between is gone, the old one may yet be before it.
    if (snapshot === undefined) return { line, isWhole: false, isBefore: at !== null };
    line.push(snapshot);
    at = snapshot['parent-snapshot-id']?.toString() ?? null;
  }
  return { line, isWhole: true, isBefore: true };
}

async function addedByAppends(
  scanner: Pick<Scanner, 'files'>,
  metadata: TableMetadata,
  line: readonly Snapshot[],
): Promise<LiveFile[]> {
  const files: LiveFile[] = [];
  for (const { 'snapshot-id': id, summary } of line) {
    if (summary.operation !== 'append') continue;
    files.push(...(await scanner.files(metadata, id)).filter(({ snapshotId }) => snapshotId === id));
  }
  return files;
}
