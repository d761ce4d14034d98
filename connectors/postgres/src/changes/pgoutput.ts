import { fault } from '../fault.ts';

/** A value as text; null for NULL; undefined for one that was stored elsewhere and not changed, so that it was not sent. */
export type Field = string | null | undefined;

export type RelationColumn = {
  readonly name: string;
  /** Whether the column is of what tells rows apart. */
  readonly isKey: boolean;
  readonly typeOid: string;
  readonly modifier: number;
};

export type Relation = {
  readonly kind: 'relation';
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  /** Whether old rows are sent whole. */
  readonly isFull: boolean;
  readonly columns: readonly RelationColumn[];
};

/** A row before its change: all of it, or its key alone. */
export type OldRow = { readonly isWhole: boolean; readonly fields: readonly Field[] };

/** One message of the plugin pgoutput, version 1 of its protocol. */
export type LogMessage =
  | { readonly kind: 'begin'; readonly commitLsn: bigint; readonly micros: bigint }
  | { readonly kind: 'commit'; readonly endLsn: bigint }
  | Relation
  | { readonly kind: 'insert'; readonly oid: string; readonly row: readonly Field[] }
  | { readonly kind: 'update'; readonly oid: string; readonly old: OldRow | undefined; readonly row: readonly Field[] }
  | { readonly kind: 'delete'; readonly oid: string; readonly old: OldRow }
  | { readonly kind: 'truncate'; readonly oids: readonly string[] }
  | { readonly kind: 'other' };

/** Microseconds from 1970 to 2000, from where Postgres counts. */
const EPOCH_MICROS = 946_684_800_000_000n;
const OTHER = new Set(['O', 'Y', 'M']);

/** Reads one message; `change_unreadable` when it is none that is known. */
export function parseLogMessage(bytes: Buffer): LogMessage {
  try {
    return parse(cursorOf(bytes));
  } catch (error) {
    throw error instanceof RangeError ? fault('change_unreadable', undefined, error) : error;
  }
}

function cursorOf(bytes: Buffer) {
  let at = 0;
  const moved = (count: number) => {
    at += count;
    return at - count;
  };
  return {
    letter: () => String.fromCharCode(bytes.readUInt8(moved(1))),
    byte: () => bytes.readUInt8(moved(1)),
    short: () => bytes.readUInt16BE(moved(2)),
    int: () => bytes.readInt32BE(moved(4)),
    oid: () => String(bytes.readUInt32BE(moved(4))),
    long: () => bytes.readBigUInt64BE(moved(8)),
    text(length: number): string {
      if (at + length > bytes.length) throw new RangeError('a text is cut short');
      return bytes.toString('utf8', at, moved(length) + length);
    },
    word(): string {
      const end = bytes.indexOf(0, at);
      if (end < 0) throw new RangeError('a word has no end');
      return bytes.toString('utf8', moved(end + 1 - at), end);
    },
  };
}

type Cursor = ReturnType<typeof cursorOf>;

function parse(cursor: Cursor): LogMessage {
  const kind = cursor.letter();
  switch (kind) {
    case 'B':
      return { kind: 'begin', commitLsn: cursor.long(), micros: cursor.long() + EPOCH_MICROS };
    case 'C': {
      cursor.byte();
      cursor.long();
      return { kind: 'commit', endLsn: cursor.long() };
    }
    case 'R':
      return relationOf(cursor);
    case 'I': {
      const oid = cursor.oid();
      cursor.letter();
      return { kind: 'insert', oid, row: fieldsOf(cursor) };
    }
    case 'U':
      return updateOf(cursor);
    case 'D': {
      const oid = cursor.oid();
      return { kind: 'delete', oid, old: oldOf(cursor, cursor.letter()) };
    }
    case 'T': {
      const count = cursor.int();
      cursor.byte();
      return { kind: 'truncate', oids: Array.from({ length: count }, () => cursor.oid()) };
    }
    default:
      if (OTHER.has(kind)) return { kind: 'other' };
      throw new RangeError('an unknown kind of message');
  }
}

function relationOf(cursor: Cursor): Relation {
  const oid = cursor.oid();
  const schema = cursor.word();
  const name = cursor.word();
  const isFull = cursor.letter() === 'f';
  const columns = Array.from({ length: cursor.short() }, () => ({
    isKey: (cursor.byte() & 1) === 1,
    name: cursor.word(),
    typeOid: cursor.oid(),
    modifier: cursor.int(),
  }));
  // An empty word stands for pg_catalog.
  return { kind: 'relation', oid, schema: schema === '' ? 'pg_catalog' : schema, name, isFull, columns };
}

function updateOf(cursor: Cursor): LogMessage {
  const oid = cursor.oid();
  const first = cursor.letter();
  if (first === 'N') return { kind: 'update', oid, old: undefined, row: fieldsOf(cursor) };
  const old = oldOf(cursor, first);
  cursor.letter();
  return { kind: 'update', oid, old, row: fieldsOf(cursor) };
}

function oldOf(cursor: Cursor, kind: string): OldRow {
  if (kind !== 'K' && kind !== 'O') throw new RangeError('an unknown kind of row');
  return { isWhole: kind === 'O', fields: fieldsOf(cursor) };
}

function fieldsOf(cursor: Cursor): Field[] {
  return Array.from({ length: cursor.short() }, () => {
    switch (cursor.letter()) {
      case 'n':
        return null;
      case 'u':
        return undefined;
      case 't':
        return cursor.text(cursor.int());
      default:
        throw new RangeError('an unknown kind of value');
    }
  });
}
