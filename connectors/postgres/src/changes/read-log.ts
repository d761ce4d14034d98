import type { Session } from '../connect.ts';
import { fault } from '../fault.ts';
import { postgresFault } from '../postgres-fault.ts';
import { identifier, literal } from '../sql-text.ts';
import { formatLsn } from './lsn.ts';
import { type LogMessage, parseLogMessage } from './pgoutput.ts';

/** The server gives up a reader that is silent for wal_sender_timeout, 60 s by default. */
const ALIVE_MS = 5_000;
/** While the end of the log is awaited, the server is asked how far it is. */
const ASK_MS = 50;
/** So much of the log may wait for whoever reads it. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** Microseconds from 1970 to 2000. */
const EPOCH_MICROS = 946_684_800_000_000n;
const [XLOG_DATA, KEEP_ALIVE, STATUS] = [0x77, 0x6b, 0x72];
const [DATA_HEAD, STATUS_BYTES] = [25, 34];

/** What comes of the log: a message with its place, or how far the server has looked. */
export type LogEvent =
  | { readonly kind: 'message'; readonly lsn: bigint; readonly message: LogMessage }
  | { readonly kind: 'reached'; readonly lsn: bigint };

export type LogOptions = {
  readonly slot: string;
  readonly publication: string;
  readonly from: bigint;
  /** Everything before it is stored by the platform: the server may forget it. Undefined when nothing is. */
  readonly confirmed: bigint | undefined;
  readonly signal: AbortSignal;
};

type Waiting = { readonly event: LogEvent; readonly bytes: number };

/**
 * Follows the log of a slot. What is confirmed is what earlier runs have stored, never what this one reads. The server is
 * answered in time however slowly the events are taken. Ends without a word when the signal is aborted.
 */
export async function* readLog(session: Session, options: LogOptions): AsyncGenerator<LogEvent> {
  const { connection } = session.client as unknown as { connection: LogConnection };
  const waiting: Waiting[] = [];
  let waitingBytes = 0;
  let failure: unknown;
  let isOver = false;
  let isStarted = false;
  let wake = () => {};
  const status = (asks: boolean) => {
    if (isStarted && !isOver) connection.sendCopyFromChunk(statusMessage(options.confirmed ?? 0n, asks));
  };
  const onData = ({ chunk }: { readonly chunk: Buffer }) => {
    try {
      const event = eventOf(chunk);
      if (event !== undefined) waiting.push({ event, bytes: chunk.length });
    } catch (error) {
      failure ??= error;
    }
    waitingBytes += chunk.length;
    if (waitingBytes > MAX_WAITING_BYTES) connection.stream.pause();
    wake();
  };
  const end = (error?: unknown) => {
    isOver = true;
    failure ??= error;
    wake();
  };
  const onAbort = () => end();
  connection.on('copyData', onData);
  connection.once('replicationStart', () => {
    isStarted = true;
    status(true);
  });
  options.signal.addEventListener('abort', onAbort, { once: true });
  session.client.query(startSql(options)).then(() => end(fault('connection_lost')), end);
  const alive = setInterval(() => status(false), ALIVE_MS);
  const ask = setInterval(() => {
    if (waiting.length === 0) status(true);
  }, ASK_MS);
  try {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) {
        waitingBytes -= next.bytes;
        if (waitingBytes < MAX_WAITING_BYTES / 2) connection.stream.resume();
        yield next.event;
        continue;
      }
      waitingBytes = 0;
      connection.stream.resume();
      if (failure !== undefined) throw postgresFault(failure);
      if (isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    isOver = true;
    clearInterval(alive);
    clearInterval(ask);
    connection.off('copyData', onData);
    options.signal.removeEventListener('abort', onAbort);
  }
}

/** What is used of the driver's connection, which its types do not name. */
type LogConnection = {
  readonly stream: { pause(): void; resume(): void };
  sendCopyFromChunk(bytes: Buffer): void;
  on(event: 'copyData', listener: (message: { readonly chunk: Buffer }) => void): void;
  once(event: 'replicationStart', listener: () => void): void;
  off(event: 'copyData', listener: (message: { readonly chunk: Buffer }) => void): void;
};

function startSql({ slot, publication, from }: LogOptions): string {
  // The value is a list of names, in which a name is an identifier.
  const names = literal(identifier(publication));
  return `START_REPLICATION SLOT ${identifier(slot)} LOGICAL ${formatLsn(from)} (proto_version '1', publication_names ${names})`;
}

function eventOf(chunk: Buffer): LogEvent | undefined {
  if (chunk[0] === KEEP_ALIVE) return { kind: 'reached', lsn: chunk.readBigUInt64BE(1) };
  if (chunk[0] !== XLOG_DATA) return undefined;
  return { kind: 'message', lsn: chunk.readBigUInt64BE(1), message: parseLogMessage(chunk.subarray(DATA_HEAD)) };
}

function statusMessage(confirmed: bigint, asks: boolean): Buffer {
  const bytes = Buffer.alloc(STATUS_BYTES);
  bytes[0] = STATUS;
  bytes.writeBigUInt64BE(confirmed, 1);
  bytes.writeBigUInt64BE(confirmed, 9);
  bytes.writeBigUInt64BE(confirmed, 17);
  bytes.writeBigInt64BE(BigInt(Date.now()) * 1000n - EPOCH_MICROS, 25);
  bytes[33] = asks ? 1 : 0;
  return bytes;
}
