import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { literal } from '../duckdb/duckdb-sql.ts';
import { duckdbError } from '../error/duckdb-error.ts';
import type { Column, ColumnType } from '../schema/types.ts';
import type { DraftFiles } from '../stage/stage-write.ts';
import { scanMembers } from './scan-json.ts';

/** Unknown members that are named at most. */
export const MAX_UNKNOWN = 1000;
/** Longest text that is parsed where memory is short. */
const MAX_PARSED_BYTES = 1024 * 1024;
/** Bound on the longer texts of a spool whose members are looked at. */
const MAX_SCANNED = 8;
/** Integers with fewer characters fit in a long. */
const LONG_CHARS = 19;

const INTEGERS = new Set(['BIGINT', 'UBIGINT']);
const NUMBERS = new Set([...INTEGERS, 'DOUBLE']);

function typeOf(kinds: readonly string[], chars: number): ColumnType {
  const only = (set: ReadonlySet<string>): boolean => kinds.every((kind) => set.has(kind));
  if (only(new Set(['BOOLEAN']))) return 'boolean';
  if (only(INTEGERS)) return chars < LONG_CHARS ? 'long' : 'decimal(38, 0)';
  return only(NUMBERS) ? 'double' : 'string';
}

/** What was seen of a member: its JSON types, and the length of its longest value. */
type Seen = { readonly name: string; readonly kinds: readonly string[]; readonly chars: number };

/**
 * The members in the `_extra` of some files, each with a type that takes every value seen; objects, arrays and mixed
 * values are texts. A member that was only ever null has no type and is left out, and so is the text of a value that did
 * not fit its column.
 */
export async function unknownMembers(
  session: DuckdbSession,
  draft: Pick<DraftFiles, 'paths'>,
  columns: ReadonlySet<string>,
): Promise<Column[]> {
  const seen = await parsedMembers(session, draft, columns).catch(async (error: unknown) => {
    if (duckdbError(error, 'stage_failed', 'Members could not be read').code !== 'out_of_memory') throw error;
    const usual = await parsedMembers(session, draft, columns, MAX_PARSED_BYTES);
    return merged([...usual, ...(await scannedMembers(session, draft, columns))]);
  });
  return seen.slice(0, MAX_UNKNOWN).map(({ name, kinds, chars }) => ({ name, type: typeOf(kinds, chars) }));
}

async function parsedMembers(
  session: DuckdbSession,
  { paths }: Pick<DraftFiles, 'paths'>,
  columns: ReadonlySet<string>,
  maxBytes?: number,
): Promise<Seen[]> {
  const bounded = maxBytes === undefined ? '' : `AND strlen(_extra) <= ${maxBytes}`;
  const rows = await session.rows<{ name: string; kinds: string[]; chars: string }>(
    `SELECT e.key AS name, list(DISTINCT json_type(e.value)) AS kinds, max(length(e.value::VARCHAR)) AS chars
     FROM (SELECT unnest(map_entries(_extra::JSON::MAP(VARCHAR, JSON))) AS e
       FROM read_parquet(${paths}, hive_partitioning = false) WHERE _extra IS NOT NULL ${bounded})
     WHERE json_type(e.value) <> 'NULL' AND NOT list_contains([${[...columns].map(literal).join(', ')}]::VARCHAR[], e.key) GROUP BY 1 ORDER BY 1 LIMIT ${MAX_UNKNOWN}`,
  );
  return rows.map(({ chars, ...row }) => ({ ...row, chars: Number(chars) }));
}

/** The members of the first long texts: DuckDB takes many times the memory of a text to parse it, a scan takes none. */
async function scannedMembers(
  session: DuckdbSession,
  { paths }: Pick<DraftFiles, 'paths'>,
  columns: ReadonlySet<string>,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let at = 0; at < MAX_SCANNED; at += 1) {
    const [row] = await session.rows<{ _extra: string }>(
      `SELECT _extra FROM read_parquet(${paths}, hive_partitioning = false)
       WHERE strlen(_extra) > ${MAX_PARSED_BYTES} LIMIT 1 OFFSET ${at}`,
      { ordered: true, alone: true },
    );
    if (row === undefined) break;
    const bytes = Buffer.from(row._extra);
    scanMembers(bytes, 0, ({ name, value: { start, end } }) => {
      const kind = kindOf(bytes, start, end);
      if (kind !== undefined && !columns.has(name)) seen.push({ name, kinds: [kind], chars: end - start });
    });
  }
  return seen;
}

const BY_FIRST_CHAR: Readonly<Record<string, string>> = {
  t: 'BOOLEAN',
  f: 'BOOLEAN',
  '"': 'VARCHAR',
  '{': 'OBJECT',
  '[': 'ARRAY',
};

/** The JSON type of a value as DuckDB names it; undefined for null. */
function kindOf(bytes: Buffer, start: number, end: number): string | undefined {
  const first = String.fromCharCode(bytes[start] ?? 0);
  if (first === 'n') return undefined;
  return BY_FIRST_CHAR[first] ?? (/[.eE]/.test(bytes.toString('latin1', start, end)) ? 'DOUBLE' : 'BIGINT');
}

function merged(members: readonly Seen[]): Seen[] {
  const byName = Map.groupBy(members, ({ name }) => name);
  return [...byName].map(([name, all]) => {
    return { name, kinds: all.flatMap(({ kinds }) => kinds), chars: Math.max(...all.map(({ chars }) => chars)) };
  });
}
