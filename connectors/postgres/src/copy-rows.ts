import type { Socket } from 'node:net';
import type { Connection, Submittable } from 'pg';
import type { Session } from './connect.ts';
import { postgresFault } from './postgres-fault.ts';
import { takeBytes } from './reused-socket.ts';

/** Whole rows of a COPY. */
export type RowBlock = {
  /** In CSV form the rows, one behind the other; in binary form they lie in it at `spans`. */
  readonly bytes: Buffer;
  readonly count: number;
  /** Where the last row begins. */
  readonly lastAt: number;
  /** Where each row begins and ends, two numbers for each of `count`. */
  readonly spans?: Int32Array;
};

/** Takes rows; a promise holds the server back until it is settled. When it is, the block's memory is used anew. */
export type TakeRows = (block: RowBlock) => Promise<void> | undefined;

const [COPY_DATA, COPY_DONE, ERROR, COMPLETE, READY] = [0x64, 0x63, 0x45, 0x43, 0x5a];
const NONE = Buffer.alloc(0);
const FIRST_SPANS = 4096;
/** A message is its kind, and its length without that. */
const HEAD_BYTES = 5;

/** In which of its forms COPY hands rows over. */
export type CopyForm = 'csv' | 'binary';

/** A `COPY … TO STDOUT` in a form. */
export type Copy = { readonly sql: string; readonly form: CopyForm };

/** What stands before the first row in binary form, and what behind the last one: no text has such a byte. */
const FILE_HEAD = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const [FLAG_BYTES, END_BYTES, NEVER_IN_TEXT] = [8, 2, 0xff];

/**
 * Runs `COPY … TO STDOUT` and hands its rows on as they come, several at a time: the driver's own parser makes an object of
 * each row, which costs more than everything else. Gives the number of rows that the server says it has sent.
 */
export async function copyRows(session: Session, { sql, form }: Copy, take: TakeRows): Promise<number> {
  try {
    return await new Promise<number>((resolve, reject) => {
      session.client.query(copyQuery({ sql, form, take }, { resolve, reject }) as Submittable);
    });
  } catch (error) {
    throw postgresFault(error);
  }
}

type Settle = { readonly resolve: (rows: number) => void; readonly reject: (error: unknown) => void };

/** A query in the driver's sense, which takes the connection's bytes while its rows come and gives them back at their end. */
function copyQuery({ sql, form, take }: Copy & { readonly take: TakeRows }, { resolve, reject }: Settle) {
  let rows = 0;
  let failure: unknown;
  return {
    submit(connection: Connection) {
      connection.query(sql);
      const stream = connection.stream as Socket;
      divert(stream, { form, take }, (error) => {
        failure ??= error;
        // What is left of the copy would have to be read to its end.
        stream.destroy();
        reject(failure);
      });
      return undefined;
    },
    handleCommandComplete({ text }: { readonly text: string }) {
      rows = Number(text.split(' ').at(-1));
    },
    handleReadyForQuery() {
      if (failure === undefined) resolve(rows);
      else reject(failure);
    },
    handleError(error: unknown) {
      failure ??= error;
      reject(failure);
    },
    handleRowDescription() {},
    handleDataRow() {},
    handlePortalSuspended() {},
    handleEmptyQuery() {},
    handleCopyInResponse() {},
    handleCopyData() {},
  };
}

function divert(
  stream: Socket,
  how: { readonly form: CopyForm; readonly take: TakeRows },
  fail: (error: unknown) => void,
): void {
  /** The beginning of a message that is not whole yet, and how many bytes it has. */
  let waiting: Buffer[] = [];
  let [held, wanted] = [0, 0];
  let isFirst = true;
  const spans = how.form === 'binary' ? spanList() : undefined;
  const giveBack = (rest: Buffer) => {
    stop();
    // Whoever listens may keep it.
    stream.emit('data', Buffer.from(rest));
  };
  /** Completes the message that waits; undefined when it is not whole yet. */
  const joined = (bytes: Buffer): readonly [whole: Buffer, more: Buffer] | undefined => {
    if (held === 0) return [bytes, NONE];
    const missing = wanted - held;
    const piece = bytes.subarray(0, missing);
    if (piece.length < missing) {
      waiting.push(Buffer.from(piece));
      held += piece.length;
      return undefined;
    }
    return [Buffer.concat([...waiting, piece], wanted), bytes.subarray(missing)];
  };
  const feed = (bytes: Buffer): Promise<void> | undefined => {
    const found = joined(bytes);
    if (found === undefined) return undefined;
    const [whole, more] = found;
    const { block, rest, need, isOver } = unframe(whole, isFirst, spans);
    isFirst &&= block.count === 0;
    [held, wanted] = [rest.length, need];
    waiting = held > 0 ? [Buffer.from(rest)] : [];
    const busy = block.count > 0 ? how.take(block) : undefined;
    const goOn = () => (isOver ? giveBack(Buffer.concat([rest, more])) : more.length > 0 ? feed(more) : undefined);
    return busy === undefined ? (goOn() ?? undefined) : busy.then(goOn);
  };
  const stop = takeBytes(stream, (bytes) => {
    try {
      const busy = feed(bytes);
      if (busy === undefined) return;
      stream.pause();
      busy.then(() => stream.resume(), fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** How many bytes of a message stand before its row. */
function fileHeadBytes(bytes: Buffer, at: number): number {
  const isHead = bytes.subarray(at, at + FILE_HEAD.length).equals(FILE_HEAD);
  return isHead ? FILE_HEAD.length + FLAG_BYTES : 0;
}

type SpanList = { readonly put: (row: number, from: number, to: number) => void; readonly list: () => Int32Array };

/** Places that are written anew for each block. */
function spanList(): SpanList {
  let places = new Int32Array(FIRST_SPANS);
  return {
    put(row, from, to) {
      if (2 * row + 1 >= places.length) {
        const more = new Int32Array(2 * places.length);
        more.set(places);
        places = more;
      }
      places[2 * row] = from;
      places[2 * row + 1] = to;
    },
    list: () => places,
  };
}

type Unframed = {
  readonly block: RowBlock;
  /** What comes behind the last whole message, or from the end of the copy on. */
  readonly rest: Buffer;
  /** How many bytes the next message has. */
  readonly need: number;
  readonly isOver: boolean;
};

/**
 * Finds the rows of whole messages; everything else that may come in between is dropped. Without a list for their places they
 * are moved together at the front of the bytes.
 */
function unframe(bytes: Buffer, isFirst: boolean, spans: SpanList | undefined): Unframed {
  let [at, end, count, lastAt] = [0, 0, 0, 0];
  let need = HEAD_BYTES;
  let isOver = false;
  while (at + HEAD_BYTES <= bytes.length) {
    const kind = bytes[at];
    const length =
      ((bytes[at + 1] ?? 0) << 24) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0);
    const next = at + 1 + length;
    if (kind === ERROR || kind === COMPLETE || kind === READY) {
      isOver = true;
      break;
    }
    if (next > bytes.length) {
      need = 1 + length;
      break;
    }
    if (kind === COPY_DATA) {
      const from = at + HEAD_BYTES + (isFirst && count === 0 ? fileHeadBytes(bytes, at + HEAD_BYTES) : 0);
      const isRow = !(next - from <= END_BYTES && (next === from || bytes[from] === NEVER_IN_TEXT));
      if (isRow) {
        if (spans === undefined) {
          bytes.copyWithin(end, from, next);
          lastAt = end;
          end += next - from;
        } else {
          lastAt = from;
          spans.put(count, from, next);
        }
        count += 1;
      }
    }
    at = next;
    if (kind === COPY_DONE) {
      isOver = true;
      break;
    }
  }
  // The rows lie where the messages were read from, never beyond.
  const rest = bytes.subarray(at);
  const block =
    spans === undefined
      ? { bytes: bytes.subarray(0, end), count, lastAt }
      : { bytes, count, lastAt, spans: spans.list() };
  return { block, rest, need, isOver };
}
