import { isDeepStrictEqual } from 'node:util';
import { fault } from './fault.ts';

/** Until where a stream was read: exact texts, as Postgres prints them. */
export type CursorState = {
  readonly cursor_field: string;
  /** Undefined until a row with a value was read. */
  readonly cursor?: string;
  /** The columns of the key; undefined in states of earlier versions. */
  readonly key_fields?: readonly string[];
  /** The key of the last row, for a table that has one. */
  readonly key?: readonly string[];
  /** For a table without a key: how many rows with this value of the cursor have been read. */
  readonly ties?: number;
};

/**
 * The state that was stored, undefined when there is none; `stored_state_invalid` when it is of another cursor or of another kind,
 * `key_changed` when it is of another key.
 */
export function parseCursorState(
  value: unknown,
  { cursorField, key: columns }: { readonly cursorField: string; readonly key: readonly string[] },
): CursorState | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') throw fault('stored_state_invalid');
  const { cursor_field, cursor, key_fields: fields, key, ties } = value as Record<string, unknown>;
  if (cursor_field !== cursorField) throw fault('stored_state_invalid');
  if (cursor === undefined) return { cursor_field: cursorField };
  const hasKey = Array.isArray(key) && key.every((part) => typeof part === 'string');
  const hasTies = Number.isSafeInteger(ties) && Number(ties) >= 0;
  if (typeof cursor !== 'string' || !(hasKey || hasTies)) throw fault('stored_state_invalid');
  const isSameKey = Array.isArray(fields) ? isDeepStrictEqual(fields, columns) : hasKey === columns.length > 0;
  if (!isSameKey || (hasKey && key.length !== columns.length)) throw fault('key_changed');
  return hasKey
    ? { cursor_field: cursorField, cursor, key_fields: columns, key: key as string[] }
    : { cursor_field: cursorField, cursor, ties: Number(ties) };
}
