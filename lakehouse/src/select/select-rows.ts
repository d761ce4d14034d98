import type { DuckDBValue } from '@duckdb/node-api';
import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { identifier, sqlType } from '../duckdb/duckdb-sql.ts';
import { LakehouseError } from '../error/error.ts';
import { wireValue } from '../query/wire-value.ts';
import { assignFieldIds } from '../schema/types.ts';
import { resultColumns } from './describe-select.ts';
import type { SelectRows, SelectRowsRequest } from './select-types.ts';
import { withFaults } from './statement.ts';

/** The first rows of a statement that the gate has passed. */
export async function firstRows(
  session: DuckdbSession,
  { sql, limit, maxBytes, arrow }: Omit<SelectRowsRequest, 'inputs'>,
): Promise<SelectRows> {
  const { names, types } = await withFaults(sql, 0, () => session.columns(sql));
  const columns = assignFieldIds(resultColumns(names, types, 'as texts'));
  const cast = columns.map(({ name, type }) => `CAST(${identifier(name)} AS ${sqlType(type)}) AS ${identifier(name)}`);
  const head = `SELECT ${cast.join(', ')} FROM (\n`;
  const found: DuckDBValue[][] = [];
  const shown: unknown[][] = [];
  const truncated = await withFaults(sql, Buffer.byteLength(head), async () => {
    let bytes = 0;
    for await (const chunk of session.chunks(`${head}${sql}\n) LIMIT ${Math.trunc(limit) + 1}`)) {
      for (const row of chunk) {
        const values = row.map(wireValue);
        bytes += Buffer.byteLength(JSON.stringify(values));
        if (found.length >= limit || (bytes > maxBytes && found.length > 0)) return true;
        if (bytes > maxBytes) throw new LakehouseError('result_too_large', 'A row is larger than an answer may be');
        found.push(row);
        shown.push(values);
      }
    }
    return false;
  });
  if (arrow === undefined) return { columns, rows: shown, truncated };
  // Most statements are never asked for Arrow, and its library takes a while to load.
  const { arrowStream } = await import('../query/arrow-stream.ts');
  return { columns, rows: arrowStream(columns, found, arrow), truncated };
}
