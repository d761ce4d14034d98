import type { DuckDBConnection } from '@duckdb/node-api';
import { pathLiteral } from './sql-text.ts';

/** Rows of a file by their numbers: the first one and the one behind the last. */
export type Rows = { readonly from: number; readonly to: number };
export type RowGroup = { readonly rows: number; readonly bytes: number };

/** How much of a file goes into one slice, as it is packed there; packed anew it may be twice as much. */
const SLICE_BYTES = 32 * 1024 * 1024;

/** All rows of a Parquet file in slices, as far as its footer tells how many make one. */
export async function sliceRows(connection: DuckDBConnection, path: string): Promise<Rows[]> {
  const result = await connection.runAndReadAll(
    `SELECT any_value(row_group_num_rows)::DOUBLE, sum(total_compressed_size)::DOUBLE
     FROM parquet_metadata(${pathLiteral(path)}) GROUP BY row_group_id ORDER BY row_group_id`,
  );
  return planSlices(result.getRows().map(([rows, bytes]) => ({ rows: Number(rows), bytes: Number(bytes) })));
}

/** Slices of whole row groups where they are small enough, and of even parts of a group where it is not. */
export function planSlices(groups: readonly RowGroup[], limit = SLICE_BYTES): Rows[] {
  const slices: Rows[] = [];
  let from = 0;
  let to = 0;
  let bytes = 0;
  const end = () => {
    if (to > from) slices.push({ from, to });
    from = to;
    bytes = 0;
  };
  for (const group of groups) {
    if (bytes + group.bytes > limit) end();
    const first = to;
    const parts = Math.max(1, Math.min(group.rows, Math.ceil(group.bytes / limit)));
    for (let part = 1; part <= parts; part += 1) {
      to = first + Math.floor((group.rows * part) / parts);
      if (part < parts) end();
    }
    bytes += group.bytes / parts;
  }
  end();
  return slices;
}
