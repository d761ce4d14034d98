import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { onFreePort, StartFailed, untilReady } from '../ready.ts';
import { type Supervised, supervise } from '../supervised.ts';
import { type Ids, unprivileged } from '../unprivileged.ts';
import { type PostgresBinaries, postgresBin } from './binaries.ts';
import { dataPlace, postmasterPid, prepareData, SUPERUSER } from './data-dir.ts';

export type PostgresOptions = {
  /** Folder of the data; made when absent, kept when present. As uid 0 another place may be used, see `dataPlace`. */
  dataDir: string;
  /** Port on 127.0.0.1; a free one when absent. */
  port?: number;
  logFile: string;
  superuserPassword: string;
  /** Default `embedded` (18). */
  binaries?: PostgresBinaries;
  /** Server settings on top of ours, e.g. `{ fsync: 'off' }` in tests. */
  settings?: Readonly<Record<string, string>>;
  outlivesParent?: boolean;
};

export type RunningPostgres = {
  pid: number;
  port: number;
  /** Superuser's URL of database `postgres`. */
  url: string;
  /** Where the data really are. */
  dataDir: string;
  /** Fast shutdown (sessions are ended, all is written); resolves when the server is gone. */
  stop(): Promise<void>;
  /** Resolves when the server is gone, for whatever reason. */
  exited: Supervised['exited'];
};

const MAX_CONNECTIONS = '200';
const READY_TIMEOUT_MS = 60_000;
const LEFT_POLL_MS = 100;
const CONNECT_TIMEOUT_MS = 2_000;
const WRONG_PASSWORD = '28P01';

async function majorOf(bin: string): Promise<number> {
  const { stdout } = await promisify(execFile)(path.join(bin, 'postgres'), ['--version']);
  return Number(stdout.match(/(\d+)/)?.[1]);
}

/** True once a session can be opened; throws at once, out of the wait, when the password is not the one of the data. */
async function answers(url: string, wrongPassword: () => void): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (fault) {
    if ((fault as { code?: string }).code === WRONG_PASSWORD) wrongPassword();
    throw fault;
  } finally {
    await client.end().catch(() => undefined);
  }
}

type Launch = PostgresOptions & { bin: string; place: string; user: Ids | undefined };

async function launchOn(port: number, options: Launch): Promise<RunningPostgres> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    ...options.settings,
  };
  const child = await supervise({
    name: 'Postgres',
    command: path.join(options.bin, 'postgres'),
    args: ['-D', options.place, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    logFile: options.logFile,
    cwd: '/',
    stopSignal: 'SIGINT',
    outlivesParent: options.outlivesParent ?? false,
    ...options.user,
  });
  const url = `postgresql://${SUPERUSER}:${encodeURIComponent(options.superuserPassword)}@127.0.0.1:${port}/postgres`;
  let refused = false;
  const probe = () =>
    answers(url, () => {
      refused = true;
    }).catch((fault: unknown) => {
      if (refused) return true;
      throw fault;
    });
  await untilReady('Postgres', child, probe, READY_TIMEOUT_MS);
  if (refused) {
    await child.stop();
    throw new Error(`the data in ${options.place} have another superuser password`);
  }
  const stop = async () => void (await child.stop());
  return { pid: child.pid, port, url, dataDir: options.place, stop, exited: child.exited };
}

/**
 * Starts a Postgres server of our own on 127.0.0.1 and returns when a superuser session can be opened: TCP only, SCRAM
 * passwords, 200 connections. As uid 0 it runs as an unprivileged user. Refuses when the data are in use by a living
 * server, naming its pid; a stale `postmaster.pid` is no hindrance.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const user = unprivileged();
  const bin = await postgresBin(options.binaries ?? 'embedded');
  const place = dataPlace(options.dataDir, user);
  const leftover = await postmasterPid(place);
  if (leftover !== undefined) throw new Error(`the data in ${place} are in use by process ${leftover}`);
  const { logFile, superuserPassword: password } = options;
  await prepareData({ dataDir: place, bin, major: await majorOf(bin), user, logFile, password });
  const launch = { ...options, bin, place, user };
  return onFreePort(options.port, (port) => whenLeft(() => launchOn(port, launch)), /could not bind/);
}

/** Starts again while processes of a killed server still hold its shared memory: they end by themselves. */
async function whenLeft(start: () => Promise<RunningPostgres>): Promise<RunningPostgres> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      return await start();
    } catch (fault) {
      const isHeld = fault instanceof StartFailed && /shared memory block .* still in use/.test(fault.log);
      if (!isHeld || Date.now() > deadline) throw fault;
      await delay(LEFT_POLL_MS);
    }
  }
}
