import type { DuckdbSession } from './duckdb-session.ts';
import type { DraftFiles } from './stage-write.ts';
import type { Column, ColumnType } from './types.ts';

/** Unknown members that are named at most. */
export const MAX_UNKNOWN = 1000;
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

/**
 * The members in the `_extra` of some files, each with a type that takes every value seen; objects, arrays and mixed
 * values are texts. A member that was only ever null has no type and is left out.
 */
export async function unknownMembers(session: DuckdbSession, draft: Pick<DraftFiles, 'paths'>): Promise<Column[]> {
  const rows = await session.rows<{ name: string; kinds: string[]; chars: string }>(
    `SELECT e.key AS name, list(DISTINCT json_type(e.value)) AS kinds, max(length(e.value::VARCHAR)) AS chars
     FROM (SELECT unnest(map_entries(_extra::JSON::MAP(VARCHAR, JSON))) AS e
       FROM read_parquet(${draft.paths}, hive_partitioning = false) WHERE _extra IS NOT NULL)
     WHERE json_type(e.value) <> 'NULL' GROUP BY 1 ORDER BY 1 LIMIT ${MAX_UNKNOWN}`,
  );
  return rows.map(({ name, kinds, chars }) => ({ name, type: typeOf(kinds, Number(chars)) }));
}
