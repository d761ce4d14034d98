import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { LakehouseError } from '../error/error.ts';
import { type FileIO, parseLocation, toLocation } from './fileio.ts';

/** What is read of one table: every member refuses a location outside of the table's folder (`file_outside_table`). */
export type TableFiles = Pick<FileIO, 'read' | 'materialize'> & {
  /** The table's folder in the one spelling of locations. */
  readonly folder: string;
  /** Throws `file_outside_table` unless a file lies in the table's folder; costs a comparison of strings. */
  assertInside(location: string): void;
};

/** What of a table says where its files lie. */
export type TablePlace = { readonly location: string; readonly [member: string]: unknown };

/** A segment that makes two spellings of one location. */
const ODD_SEGMENT = /(^|\/)\.{0,2}(\/|$)/;

/** Whether a location lies below a folder that is spelled as `toLocation` spells it, in whatever way it is spelled itself. */
export function isBelow(folder: string, location: string): boolean {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`;
  if (location.startsWith(prefix) && !ODD_SEGMENT.test(location.slice(prefix.length))) return true;
  try {
    return toLocation(location).startsWith(prefix);
  } catch {
    return false;
  }
}

/**
 * The files of a table, bound to its folder. Nothing is read because a file names it: metadata that names statistics elsewhere
 * is refused as a whole (`file_outside_table`).
 */
export function tableFiles(io: Pick<FileIO, 'read' | 'materialize'>, table: TablePlace): TableFiles {
  const folder = toLocation(table.location);
  const assertInside = (location: string): void => {
    if (isBelow(folder, location)) return;
    throw new LakehouseError('file_outside_table', 'The table names a file that lies outside of its folder');
  };
  for (const location of statisticsOf(table)) assertInside(location);
  const assertNoLink = linkCheck(folder);
  return {
    folder,
    assertInside,
    async read(location, range) {
      assertInside(location);
      await assertNoLink(location);
      return io.read(location, range);
    },
    async materialize(location) {
      assertInside(location);
      await assertNoLink(location);
      return io.materialize(location);
    },
  };
}

/** Statistics files that metadata lists, whoever wrote them. */
export function statisticsOf(metadata: Readonly<Record<string, unknown>>): string[] {
  return ['statistics', 'partition-statistics'].flatMap((member) => {
    const listed = metadata[member];
    return Array.isArray(listed) ? listed.map((one) => String(one?.['statistics-path'])) : [];
  });
}

/** Refuses a local file that a link in the folder leads out of it; the folder itself may be reached by a link. */
function linkCheck(folder: string): (location: string) => Promise<void> {
  const place = parseLocation(folder);
  if (place.kind !== 'file') return async () => undefined;
  let real: Promise<string> | undefined;
  return async (location) => {
    const file = parseLocation(location);
    if (file.kind !== 'file') return;
    real ??= realpath(place.path).catch(() => place.path);
    // What cannot be resolved is missing, which the read itself says.
    const found = await realpath(file.path).catch(() => undefined);
    if (found === undefined || found === resolve(await real, relative(place.path, file.path))) return;
    throw new LakehouseError('file_outside_table', 'A table file is a link');
  };
}
