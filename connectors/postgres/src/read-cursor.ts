import type { ReadContext } from '@weir/connector-sdk';
import { copyRows, type RowBlock } from './copy-rows.ts';
import { isCursorKind, isTimeKind } from './cursor-column.ts';
import { type CursorPlan, cursorOrder, cursorWhere, isBound } from './cursor-sql.ts';
import { type CursorState, parseCursorState } from './cursor-state.ts';
import { fault } from './fault.ts';
import { copySql, sinkOf, type TableReading } from './read-table.ts';
import { assertSameKey } from './same-key.ts';
import { identifier, literal } from './sql-text.ts';
import { assertStill } from './still.ts';
import type { Column, Table } from './table.ts';
import { qualified } from './table-parts.ts';

/** A state is told after so many rows; the rows before it are whole then. */
const STATE_ROWS = 200_000;

export type CursorReading = TableReading & { readonly context: ReadContext };

/**
 * Reads the rows that a cursor has passed since the stored state, in the order of cursor and key, and tells a state every so
 * often. The snapshot fixes the upper bound: a row that changes meanwhile is read by the next read. Rows without a value of
 * the cursor are not read; the read notes how many.
 */
export async function readByCursor(reading: CursorReading): Promise<void> {
  const { table, context } = reading;
  const cursor = cursorOf(table, context);
  assertSameKey(table, context);
  await assertStill(reading.snapshot.session, table);
  const key = table.key.flatMap((name) => table.columns.filter((column) => column.name === name));
  const state = parseCursorState(context.state, { cursorField: cursor.name, key: table.key });
  const facts = await factsOf(reading, cursor, state);
  await noteUnread(reading, cursor, facts.unread);
  if (reading.config.lookbackSeconds > 0 && !isTimeKind(cursor.kind)) {
    await context.emit.log('WARN', `${table.name}: lookback_seconds does nothing here, as the cursor is no time`);
  }
  if (facts.bound === undefined) return context.emit.state(state ?? { cursor_field: cursor.name });
  const plan: CursorPlan = {
    ...{ from: qualified(table), cursor, key, state, bound: facts.bound },
    ...{ lookbackSeconds: reading.config.lookbackSeconds, tiesNow: facts.ties },
  };
  const last = await copyInOrder(reading, plan);
  if (context.signal.aborted) return;
  await context.emit.state(
    last === undefined ? (state ?? { cursor_field: cursor.name }) : await stateAt(reading, plan, last),
  );
}

/** No cursor passes rows without a value, so that every read leaves them out again. */
async function noteUnread({ table, context }: CursorReading, { name }: Column, count: number): Promise<void> {
  if (count === 0) return;
  await context.emit.log('WARN', `${table.name}: ${count} rows without a usable value in the cursor are not read`);
  const advice = 'Fill the column, take another cursor, or sync the stream as full refresh.';
  const message = `Rows without a usable value in the cursor ${name} are not read. ${advice}`;
  await context.emit.note({ kind: 'rows_left_out', count, code: 'null_cursor', message });
}

function cursorOf({ columns }: Table, { stream }: ReadContext): Column {
  const [name, ...deeper] = stream.cursor_field ?? stream.stream.default_cursor_field ?? [];
  if (name === undefined || deeper.length > 0) throw fault('cursor_missing');
  const cursor = columns.find((column) => column.name === name);
  if (cursor === undefined) throw fault('column_unknown', 'cursor');
  if (!isCursorKind(cursor.kind, cursor.type)) throw fault('cursor_unusable', name);
  return cursor;
}

type Facts = { readonly bound: string | undefined; readonly unread: number; readonly ties: number };

async function factsOf(
  { table, snapshot }: TableReading,
  cursor: Column,
  state: CursorState | undefined,
): Promise<Facts> {
  const column = identifier(cursor.name);
  const usable = isBound(cursor, column);
  const from = qualified(table);
  const [greatest] = await snapshot.session.rows(
    `SELECT ${column} AS bound FROM ${from} WHERE ${column} IS NOT NULL AND ${usable} ORDER BY ${column} DESC LIMIT 1`,
  );
  const [unread] =
    cursor.isNullable || usable !== 'true'
      ? await snapshot.session.rows(`SELECT count(*) AS rows FROM ${from} WHERE ${column} IS NULL OR NOT ${usable}`)
      : [];
  const isTied = state?.cursor !== undefined && state.key === undefined;
  const [ties] = isTied
    ? await snapshot.session.rows(
        `SELECT count(*) AS rows FROM ${from} WHERE ${column} = ${literal(state?.cursor ?? '')}::${cursor.type}`,
      )
    : [];
  return { bound: greatest?.bound ?? undefined, unread: Number(unread?.rows ?? 0), ties: Number(ties?.rows ?? 0) };
}

/** The cursor and the key of the last row, as texts; undefined when there was none. */
type Last = { readonly cursor: string; readonly key: readonly string[] };

async function copyInOrder(reading: CursorReading, plan: CursorPlan): Promise<Last | undefined> {
  const { table, snapshot, context } = reading;
  const where = `${cursorWhere(plan)} AND ${isBound(plan.cursor, identifier(plan.cursor.name))} ORDER BY ${cursorOrder(plan)}`;
  const places = [plan.cursor, ...plan.key].map((column) => table.columns.indexOf(column));
  const end = () => void snapshot.session.end();
  context.signal.addEventListener('abort', end, { once: true });
  try {
    const sink = sinkOf(reading);
    let last: Last | undefined;
    let since = 0;
    const checkpoint = async () => {
      await sink.finish();
      // Without a key a state in the middle of equal values would not say which of them were read.
      if (plan.key.length > 0 && last !== undefined) await context.emit.state(stateOf(plan, last));
    };
    const take = (block: RowBlock) => {
      const row = sink.lastRow(block);
      const [cursor = '', ...key] = places.map((place) => row[place] ?? '');
      last = { cursor, key };
      since += block.count;
      const taken = sink.take(block);
      if (since < STATE_ROWS) return taken;
      since = 0;
      return (taken ?? Promise.resolve()).then(checkpoint);
    };
    await copyRows(snapshot.session, copySql(table, { from: plan.from, where }, sink.form), take);
    await sink.finish();
    return last;
  } finally {
    context.signal.removeEventListener('abort', end);
  }
}

function stateOf({ cursor, key }: CursorPlan, last: Last): CursorState {
  return { cursor_field: cursor.name, cursor: last.cursor, key_fields: key.map(({ name }) => name), key: last.key };
}

/** The state behind the last row. Without a key it counts the rows of its value, so that one that comes later is seen. */
async function stateAt({ snapshot }: CursorReading, plan: CursorPlan, last: Last): Promise<CursorState> {
  const { cursor, key, from } = plan;
  if (key.length > 0) return stateOf(plan, last);
  const same = `${identifier(cursor.name)} = ${literal(last.cursor)}::${cursor.type}`;
  const [row] = await snapshot.session.rows(`SELECT count(*) AS rows FROM ${from} WHERE ${same}`);
  return { cursor_field: cursor.name, cursor: last.cursor, ties: Number(row?.rows ?? 0) };
}
