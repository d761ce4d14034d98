import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { onFreePort, untilReady } from '../ready.ts';
import { bareEnvironment, type Supervised, supervise } from '../supervised.ts';

export type TemporalOptions = {
  /** The program that `findTemporal` found. */
  binary: string;
  /** SQLite file of the server; made when absent, kept when present. */
  dbFile: string;
  /** gRPC port on 127.0.0.1; a free one when absent. */
  port?: number;
  /** Port of its own pages on 127.0.0.1; it serves none when absent. */
  uiPort?: number;
  logFile: string;
  outlivesParent?: boolean;
  /** Pragmas of its SQLite file by their names, such as `synchronous`. */
  pragmas?: Readonly<Record<string, string>>;
  /** Values of its dynamic configuration by their names, such as `matching.numTaskqueueReadPartitions`. */
  dynamicConfig?: Readonly<Record<string, number>>;
};

export type RunningTemporal = {
  pid: number;
  port: number;
  /** `127.0.0.1:<port>`, as Temporal clients want it. */
  address: string;
  namespace: 'default';
  stop(): Promise<void>;
  exited: Supervised['exited'];
};

const READY_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 5_000;
const PORT_TAKEN = /address already in use|port already in use/i;

/** Whether the frontend answers and the namespace can be described: both are needed before a worker may start. */
async function healthy(binary: string, address: string): Promise<boolean> {
  const run = promisify(execFile);
  const limits = { timeout: PROBE_TIMEOUT_MS, env: bareEnvironment() };
  await run(binary, ['operator', 'cluster', 'health', '--address', address], limits);
  await run(binary, ['operator', 'namespace', 'describe', '-n', 'default', '--address', address], limits);
  return true;
}

const flags = (flag: string, values: Readonly<Record<string, unknown>> = {}): string[] =>
  Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`]);

async function launchOn(port: number, options: TemporalOptions): Promise<RunningTemporal> {
  const address = `127.0.0.1:${port}`;
  const child = await supervise({
    name: 'the workflow engine',
    command: options.binary,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
      ...(options.uiPort === undefined
        ? ['--headless']
        : ['--ui-ip', '127.0.0.1', '--ui-port', String(options.uiPort)]),
      ...['--db-filename', options.dbFile, '--log-level', 'warn'],
      ...flags('--sqlite-pragma', options.pragmas),
      ...flags('--dynamic-config-value', options.dynamicConfig),
    ],
    logFile: options.logFile,
    outlivesParent: options.outlivesParent ?? false,
  });
  await untilReady('the workflow engine', child, () => healthy(options.binary, address), READY_TIMEOUT_MS);
  const stop = async () => void (await child.stop());
  return { pid: child.pid, port, address, namespace: 'default', stop, exited: child.exited };
}

/**
 * Starts Temporal's own development server with a file database on 127.0.0.1 and returns when it is healthy and its
 * namespace `default` can be used. A second start on the same file keeps workflows and schedules.
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  await mkdir(path.dirname(options.dbFile), { recursive: true });
  return onFreePort(options.port, (port) => launchOn(port, options), PORT_TAKEN);
}
