import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Supervised } from './supervised.ts';

const POLL_MS = 40;
const LOG_TAIL_LINES = 12;

/**
 * Below those that systems give to connections and to whoever asks for any port: a server that is started again where it
 * was finds its port taken by none of them.
 */
const USUAL_PORTS = '20000-31999';
/** First and last port for the servers of one test file, so that files that run at once never race for a port. */
const PORTS_VARIABLE = 'WEIR_TEST_PORTS';
const HOLD_TRIES = 100;

async function holdPort(): Promise<Server> {
  const [first = 0, last = 0] = (process.env[PORTS_VARIABLE] ?? USUAL_PORTS).split('-').map(Number);
  for (let tried = 1; ; tried += 1) {
    const server = createServer();
    const port = randomInt(first, last + 1);
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tried === HOLD_TRIES) throw error;
    }
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

/** `count` ports of 127.0.0.1, no two alike, that were free a moment ago. Another process may take one first, so callers retry. */
export async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(Array.from({ length: count }, holdPort));
  const ports = held.map(portOf);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** A port of 127.0.0.1 that was free a moment ago. Another process may take it first, so callers retry. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port as number;
}

const PORT_TRIES = 5;

/**
 * Starts something on `given`, or, when that is absent, on free ports one after the other, until the log of a failed
 * start no longer says that the port is taken. At most five tries.
 */
export async function onFreePort<T>(
  given: number | undefined,
  start: (port: number) => Promise<T>,
  taken: RegExp,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(given ?? (await freePort()));
    } catch (fault) {
      const retry = given === undefined && fault instanceof StartFailed && taken.test(fault.log);
      if (!retry || attempt === PORT_TRIES) throw fault;
    }
  }
}

/** The last lines of a log file, for messages; empty when there is none. */
export async function logTail(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}

/** A start that did not succeed; the message ends with the log's last lines, `log` holds them alone. */
export class StartFailed extends Error {
  readonly log: string;
  constructor(message: string, log: string, options?: ErrorOptions) {
    super(log === '' ? message : `${message}\n${log}`, options);
    this.log = log;
  }
}

/**
 * Asks `probe` until it answers true. Throws `StartFailed` when the process ends first or `timeoutMs` have passed, and
 * stops the process in both cases. A probe that throws counts as "not yet"; its last fault becomes the cause.
 */
export async function untilReady(
  name: string,
  child: Supervised,
  probe: () => Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let gone = false;
  let cause: unknown;
  void child.exited.then(() => {
    gone = true;
  });
  while (!gone && Date.now() < deadline) {
    try {
      if (await probe()) return;
    } catch (fault) {
      cause = fault;
    }
    await delay(POLL_MS);
  }
  const exit = await child.stop();
  const reason = gone ? `ended at once (${exit.signal ?? `exit ${exit.code}`})` : `not ready after ${timeoutMs} ms`;
  throw new StartFailed(`${name} ${reason}, log ${child.logFile}`, await logTail(child.logFile), { cause });
}
