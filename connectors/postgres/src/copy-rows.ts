import type { Socket } from 'node:net';
import type { Connection, Submittable } from 'pg';
import type { Session } from './connect.ts';
import { postgresFault } from './postgres-fault.ts';

/** Whole rows of a COPY, one behind the other. */
export type RowBlock = {
  readonly bytes: Buffer;
  readonly count: number;
  /** Where the last row begins. */
  readonly lastAt: number;
  /** Bytes of the longest row. */
  readonly longest: number;
};

/** Takes rows; a promise holds the server back until it is settled. */
export type TakeRows = (block: RowBlock) => Promise<void> | undefined;

const [COPY_DATA, COPY_DONE, ERROR, COMPLETE, READY] = [0x64, 0x63, 0x45, 0x43, 0x5a];
/** A message is its kind, and its length without that. */
const HEAD_BYTES = 5;

/**
 * Runs `COPY … TO STDOUT` and hands its rows on as they come, several at a time: the driver's own parser makes an object of
 * each row, which costs more than everything else. Gives the number of rows that the server says it has sent.
 */
export async function copyRows(session: Session, sql: string, take: TakeRows): Promise<number> {
  try {
    return await new Promise<number>((resolve, reject) => {
      session.client.query(copyQuery(sql, take, { resolve, reject }) as Submittable);
    });
  } catch (error) {
    throw postgresFault(error);
  }
}

type Settle = { readonly resolve: (rows: number) => void; readonly reject: (error: unknown) => void };

/** A query in the driver's sense, which takes the connection's bytes while its rows come and gives them back at their end. */
function copyQuery(sql: string, take: TakeRows, { resolve, reject }: Settle) {
  let rows = 0;
  let failure: unknown;
  return {
    submit(connection: Connection) {
      connection.query(sql);
      const stream = connection.stream as Socket;
      divert(stream, take, (error) => {
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

function divert(stream: Socket, take: TakeRows, fail: (error: unknown) => void): void {
  const before = stream.listeners('data') as ((bytes: Buffer) => void)[];
  const waiting: Buffer[] = [];
  let [held, wanted] = [0, 0];
  const giveBack = (rest: Buffer) => {
    stream.off('data', onData);
    for (const listener of before) {
      stream.on('data', listener);
      listener(rest);
    }
  };
  const deliver = (block: RowBlock) => {
    const busy = block.count > 0 ? take(block) : undefined;
    if (busy === undefined) return;
    stream.pause();
    busy.then(() => stream.resume(), fail);
  };
  function onData(bytes: Buffer): void {
    waiting.push(bytes);
    held += bytes.length;
    if (held < wanted) return;
    const whole = waiting.length === 1 ? bytes : Buffer.concat(waiting, held);
    waiting.length = 0;
    const { block, rest, need, isOver } = unframe(whole);
    held = rest.length;
    wanted = need;
    if (held > 0) waiting.push(rest);
    try {
      deliver(block);
    } catch (error) {
      fail(error);
    }
    if (isOver) giveBack(rest);
  }
  for (const listener of before) stream.off('data', listener);
  stream.on('data', onData);
}

type Unframed = {
  readonly block: RowBlock;
  /** What comes behind the last whole message, or from the end of the copy on. */
  readonly rest: Buffer;
  /** How many bytes the next message has. */
  readonly need: number;
  readonly isOver: boolean;
};

/** Moves the rows of whole messages together at the front of the bytes; everything else that may come in between is dropped. */
function unframe(bytes: Buffer): Unframed {
  let [at, end, count, lastAt, longest] = [0, 0, 0, 0, 0];
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
      bytes.copyWithin(end, at + HEAD_BYTES, next);
      lastAt = end;
      end += length - 4;
      if (length > longest) longest = length;
      count += 1;
    }
    at = next;
    if (kind === COPY_DONE) {
      isOver = true;
      break;
    }
  }
  // The rows lie where the messages were read from, never beyond.
  const rest = bytes.subarray(at);
  return { block: { bytes: bytes.subarray(0, end), count, lastAt, longest }, rest, need, isOver };
}
