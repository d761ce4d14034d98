import type { DuckDBValue } from '@duckdb/node-api';
import { LakehouseError } from '../error/error.ts';
import { POSITION, type Shapes, sourcePaths } from '../rows/live-rows.ts';
import { askSample } from './ask-sample.ts';
import { figuresStatement, NO_FIGURES, type RowFigures } from './count-rows.ts';
import type { CountQuery, FiguresQuery, PageQuery, Query, QueryPage, ValueCounts } from './protocol.ts';
import { MAX_RESULT_CHARS, type QueryContext, type SortKey, stream } from './query-context.ts';
import { countStatement, keyStatement, pageStatement } from './select-sql.ts';
import { wireValue } from './wire-value.ts';

/** Runs one query. */
export async function runQuery(context: QueryContext, query: Query): Promise<unknown> {
  const shapes = await context.shapesOf(sourcePaths(query.source));
  context.assertWanted();
  switch (query.kind) {
    case 'page':
      return readPage(context, query, shapes);
    case 'count':
      return countValues(context, query, shapes);
    case 'sample':
      return context.apart((connection) => askSample({ ...context, connection }, query, shapes));
    default:
      return countRows(context, query, shapes);
  }
}

/** What the row that a page goes on behind holds in the column of the order. */
async function sortKey({ connection }: QueryContext, query: PageQuery, shapes: Shapes): Promise<SortKey | undefined> {
  if (query.order === undefined || query.after === undefined) return undefined;
  const result = await stream(connection, keyStatement(query, query.after, shapes));
  const [row] = await result.getRows();
  if (row === undefined) throw new LakehouseError('position_missing', 'There is no such row to go on behind');
  return { value: row[0] ?? null, type: result.columnType(0) };
}

async function readPage(context: QueryContext, query: PageQuery, shapes: Shapes): Promise<QueryPage> {
  const rows: DuckDBValue[][] = [];
  const shown: unknown[][] = [];
  const width = query.fields.length;
  let size = 0;
  if (query.source.files.length > 0) {
    const key = await sortKey(context, query, shapes);
    const kind = key && (key.value === null ? 'null' : 'value');
    const result = await stream(context.connection, pageStatement(query, shapes, kind), key);
    for await (const chunk of result.yieldRows()) {
      context.assertWanted();
      for (const row of chunk) {
        const values = row.slice(0, width).map(wireValue);
        size += JSON.stringify(values).length;
        if (size > MAX_RESULT_CHARS) throw new LakehouseError('result_too_large', 'The rows are too large to show');
        rows.push(row);
        shown.push(values);
      }
    }
  }
  const more = rows.length > query.limit;
  if (more) for (const list of [rows, shown]) list.pop();
  const last = rows.at(-1)?.slice(width, width + POSITION.length);
  const place = last && { index: Number(last[0]), row: String(last[1]) };
  if (query.arrow === undefined) return { more, last: place, rows: shown };
  // Most children are never asked for Arrow, and its library takes a while to load.
  const { arrowStream } = await import('./arrow-stream.ts');
  return { more, last: place, rows: arrowStream(query.fields, rows, query.arrow) };
}

async function countValues({ connection }: QueryContext, query: CountQuery, shapes: Shapes): Promise<ValueCounts> {
  if (query.source.files.length === 0) return [];
  const result = await stream(connection, countStatement(query, shapes));
  const rows = await result.getRows();
  return rows.map(([value, count]) => ({ value: wireValue(value ?? null), rows: count as bigint }));
}

async function countRows({ connection }: QueryContext, query: FiguresQuery, shapes: Shapes): Promise<RowFigures> {
  if (query.source.files.length === 0) return NO_FIGURES;
  const result = await stream(connection, figuresStatement(query, shapes));
  const [row] = await result.getRows();
  return { rows: Number(row?.[0]), rowsWithErrors: Number(row?.[1]), checksum: String(row?.[2]) };
}
