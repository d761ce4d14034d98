import { fault } from './fault.ts';

/** Until where a stream was read: exact texts, as Postgres prints them. */
export type CursorState = {
  readonly cursor_field: string;
  /** Undefined until a row with a value was read. */
  readonly cursor?: string;
  /** The key of the last row, for a table that has one. */
  readonly key?: readonly string[];
  /** For a table without a key: how many rows with this value of the cursor have been read. */
  readonly ties?: number;
};

/** The state that was stored, undefined when there is none; `state_invalid` when it is of another cursor or of another kind. */
export function parseCursorState(value: unknown, cursorField: string, keyColumns: number): CursorState | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') throw fault('state_invalid');
  const { cursor_field, cursor, key, ties } = value as Record<string, unknown>;
  const hasKey = Array.isArray(key) && key.length === keyColumns && key.every((part) => typeof part === 'string');
  const hasTies = Number.isSafeInteger(ties) && Number(ties) >= 0;
  if (cursor_field !== cursorField) throw fault('state_invalid');
  if (cursor === undefined) return { cursor_field: cursorField };
  if (typeof cursor !== 'string' || (keyColumns > 0 ? !hasKey : !hasTies)) throw fault('state_invalid');
  return keyColumns > 0
    ? { cursor_field: cursorField, cursor, key: key as string[] }
    : { cursor_field: cursorField, cursor, ties: Number(ties) };
}
