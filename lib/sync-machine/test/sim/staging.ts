import type { Batch, SyncTypes } from '../../src/index.ts';
import type { SimWorld } from './commit-operations.ts';
import type { SimStream, SourceRow } from './scenario.ts';
import { headOf, quarantineOf, rowsOf, type StoredRow, tableOf } from './world.ts';

/** A file of a simulated stage, by its place. */
export interface SimPart {
  readonly file: string | undefined;
  readonly rows: readonly StoredRow[];
}

/** The engine's sync in a simulated world: states are how many rows of the source they cover. */
export interface SimSync extends SyncTypes {
  readonly state: number;
  readonly part: SimPart;
  readonly column: { readonly name: string };
  readonly merged: {
    readonly files: readonly string[];
    readonly removed: readonly string[];
    readonly base: string | null;
  };
  readonly failure: string;
}

/** Types rows into a file; bad ones are left out and given back. */
export function stageRows(
  world: SimWorld,
  { stream, run, place, rows }: { stream: SimStream; run: string; place: string; rows: readonly SourceRow[] },
): { part: SimPart; rejected: readonly SourceRow[]; unknown: readonly { name: string }[] } {
  const hasColumn = world.evolved.has(stream.id);
  const good = rows.filter(({ isBad }) => !isBad).map((row): StoredRow => ({ ...row, run, hasColumn }));
  const file = writeRows(world, `${place}/rows`, { kind: 'rows', rows: good });
  const unknown = !hasColumn && good.some(({ hasNew }) => hasNew) ? [{ name: 'new' }] : [];
  return { part: { file, rows: good }, rejected: rows.filter(({ isBad }) => isBad), unknown };
}

/** Writes rejected lines. */
export function quarantineRows(
  world: SimWorld,
  { run, place, rows }: { run: string; place: string; rows: readonly SourceRow[] },
): SimPart {
  const stored = rows.map((row): StoredRow => ({ ...row, run, hasColumn: false }));
  return { file: writeRows(world, `${place}/quarantine`, { kind: 'quarantine', rows: stored }), rows: stored };
}

interface Merging {
  readonly stream: SimStream;
  readonly place: string;
  readonly batch: Batch<SimSync>;
}

/** Merges a batch into the table as it is, by key or by the files that it replaces: files that it touches are written anew. */
export function mergeRows(
  world: SimWorld,
  { stream, place, batch: { parts, replacedFiles } }: Merging,
): SimSync['merged'] {
  const head = headOf(tableOf(world, stream.id));
  const isByKey = replacedFiles.length === 0;
  const batch = new Map(parts.flatMap(({ rows }) => rows).map((row) => [row.key, row]));
  const goes = ({ key, file }: StoredRow): boolean => (isByKey ? batch.has(key) : replacedFiles.includes(file));
  const touched = (head?.live ?? []).filter((file) => rowsOf(world, [file]).some(goes));
  const kept = rowsOf(world, touched).filter((row) => !goes(row));
  const brought = isByKey ? [...batch.values()].filter(({ deletes }) => !deletes) : [];
  const file = writeRows(world, `${place}/merged`, { kind: 'rows', rows: [...kept, ...brought] });
  const files = [...(isByKey ? [] : parts.map((part) => part.file)), file].filter((one) => one !== undefined);
  return { files, removed: touched, base: head?.id ?? null };
}

/** Where a stream's files of one place lie. */
export function placeOfStream(stream: string, of: 'rows' | 'quarantine', place: string): string {
  return `${of === 'rows' ? stream : quarantineOf(stream)}/data/${place}`;
}

function writeRows(
  world: SimWorld,
  file: string,
  content: { kind: 'rows' | 'quarantine'; rows: readonly StoredRow[] },
): string | undefined {
  if (content.rows.length === 0) return undefined;
  if (world.files.has(file)) throw new Error(`${file} is written twice`);
  world.files.set(file, content);
  return file;
}
