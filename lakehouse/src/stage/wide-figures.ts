import { checksumOfCellsSql, joinedCellsSql } from '../duckdb/checksum.ts';
import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import type { TableSchema } from '../schema/types.ts';

/** What files hold, read back from them. */
export type FilesFigures = {
  readonly rows: number;
  readonly rowsWithErrors: number;
  readonly rowsWithExtra: number;
  readonly checksum: string;
};

/** Tables of more columns are typed and read back a slice of columns at a time: DuckDB holds vectors for each column. */
export const WIDE_FIELDS = 700;
/** Columns of a slice. Each takes a few hundred kilobytes of vectors, whatever the number of rows. */
export const SLICE_FIELDS = 100;
const HASHES = 'weir_row_hashes';

/** As `filesFigures`, by what is read of a slice of columns after the other. */
export async function wideFigures(
  session: DuckdbSession,
  paths: string,
  { fields }: Pick<TableSchema, 'fields'>,
): Promise<FilesFigures> {
  const files = `read_parquet(${paths}, hive_partitioning = false)`;
  const mode = { ordered: true, alone: true };
  try {
    await session.rows(`CREATE OR REPLACE TEMP TABLE ${HASHES} AS SELECT 0::UBIGINT AS h FROM ${files}`, mode);
    for (let from = 0; from < fields.length; from += SLICE_FIELDS) {
      const own = `SELECT ${joinedCellsSql(fields.slice(from, from + SLICE_FIELDS))} AS own FROM ${files}`;
      const joined = `SELECT xor(h, own) AS h FROM ${HASHES} POSITIONAL JOIN (${own})`;
      await session.rows(`CREATE OR REPLACE TEMP TABLE ${HASHES} AS ${joined}`, mode);
    }
    const [hashes] = await session.rows<{ c: string }>(`SELECT ${checksumOfCellsSql('h')} AS c FROM ${HASHES}`, mode);
    const has = (name: string) => fields.some((field) => field.name === name);
    const [row] = await session.rows<{ n: string; e: string; x: string }>(
      `SELECT count(*) AS n, ${has('_errors') ? 'count_if(len(_errors) > 0)' : '0'} AS e,
        ${has('_extra') ? 'count(_extra)' : '0'} AS x FROM ${files}`,
      mode,
    );
    return {
      rows: Number(row?.n),
      rowsWithErrors: Number(row?.e),
      rowsWithExtra: Number(row?.x),
      checksum: hashes?.c ?? '',
    };
  } finally {
    await session.rows(`DROP TABLE IF EXISTS ${HASHES}`);
  }
}
