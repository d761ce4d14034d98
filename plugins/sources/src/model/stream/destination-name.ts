import { createHash } from 'node:crypto';
import { withoutMarks } from '../../contract.ts';

const MAX_TABLE_NAME = 128;
const SUFFIX_CHARS = 8;
const NAMESPACE_SEPARATOR = '__';
/** What the tables of rejected lines end in; no stream may write to one. */
const KEPT_ENDING = '__quarantine';

/** Where a stream's rows go unless routing says otherwise. */
export interface StreamPlace {
  sourceName: string;
  namespace: string | undefined;
  stream: string;
}

/**
 * The bronze table of a stream: `<source_name>__[<namespace>__]<stream>` in lower case and `[a-z0-9_]`. A name that is
 * too long, or that `taken` says is in use, gets a suffix made from the exact names, so that streams which differ only
 * in what normalising drops still get tables of their own. Deterministic for the same place and the same taken names.
 */
export function destinationTable(place: StreamPlace, taken: (table: string) => boolean): string {
  const parts = [place.sourceName, ...(place.namespace === undefined ? [] : [place.namespace]), place.stream];
  const plain = parts.map(normalise).join(NAMESPACE_SEPARATOR);
  if (plain.length <= MAX_TABLE_NAME && !taken(plain) && !isKeptTable(plain)) return plain;
  for (let round = 0; ; round += 1) {
    const suffix = digest([...parts, ...(round === 0 ? [] : [String(round)])]);
    const table = `${plain.slice(0, MAX_TABLE_NAME - SUFFIX_CHARS - 1)}_${suffix}`;
    if (!taken(table)) return table;
  }
}

/** Whether a table of this name holds, or may come to hold, the rejected lines of another. */
export function isKeptTable(table: string): boolean {
  return table.toLowerCase().endsWith(KEPT_ENDING);
}

function normalise(name: string): string {
  return withoutMarks(name)
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '_');
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, SUFFIX_CHARS);
}
