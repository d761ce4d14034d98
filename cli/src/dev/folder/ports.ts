import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { CliError } from '../../cli-error.ts';
import { writePrivately } from '../../write-privately.ts';
import type { DevFolder } from './folder.ts';

/** The port that the API prefers. */
export const API_PORT = 8080;
const LAST_PORT = 65_535;

/** Whether a port of 127.0.0.1 can be listened on now. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}

async function anyFree(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Refuses a port for the API that is taken, or that `wanted` does not name; nothing has started yet. */
export async function checkApiPort(wanted: string | undefined): Promise<void> {
  if (wanted === undefined) return;
  const port = Number(wanted);
  if (!/^\d{1,5}$/.test(wanted) || port > LAST_PORT) {
    throw new CliError('usage', `WEIR_HTTP_PORT must be a whole number from 0 to ${LAST_PORT}.`, {
      code: 'setting_invalid',
      hint: `weir dev up --port 8081, or leave it out: ${API_PORT}, or a free one when that is taken`,
    });
  }
  if (port !== 0 && !(await isFree(port))) throw portTaken(port, await holderOf(port));
}

const portTaken = (port: number, holder: string) =>
  new CliError('conflict', `Port ${port} (WEIR_HTTP_PORT) is in use${holder}.`, {
    code: 'port_in_use',
    hint: 'weir dev up --port 8081, or leave it out to take a free one',
  });

/** ` by process 4711 (node)` where the system says it to us, nothing elsewhere. */
async function holderOf(port: number): Promise<string> {
  const { stdout } = await promisify(execFile)('ss', ['-Hltnp', `sport = :${port}`]).catch(() => ({ stdout: '' }));
  const found = /users:\(\("([^"]+)",pid=(\d+)/.exec(stdout);
  return found === null ? '' : ` by process ${found[2]} (${found[1]})`;
}

/**
 * Chooses ports that stay the same from start to start while they are free, so that addresses which were copied keep
 * working. The API prefers 8080, or what WEIR_HTTP_PORT says.
 */
export async function portChooser(
  { root }: DevFolder,
  wantedApi: string | undefined,
): Promise<(name: string) => Promise<number>> {
  const file = path.join(root, 'ports.json');
  const last = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Record<string, number>,
    () => ({}) as Record<string, number>,
  );
  const chosen = { ...last };
  let writing = Promise.resolve();
  return async (name) => {
    const wanted =
      name === 'api' ? (wantedApi === undefined ? (last[name] ?? API_PORT) : Number(wantedApi)) : last[name];
    const isTaken = wanted !== undefined && wanted !== 0 && !(await isFree(wanted));
    if (name === 'api' && wantedApi !== undefined && isTaken) throw portTaken(wanted, await holderOf(wanted));
    const port = wanted === undefined || wanted === 0 || isTaken ? await anyFree() : wanted;
    chosen[name] = port;
    writing = writing.then(() => writePrivately(file, `${JSON.stringify(chosen)}\n`));
    await writing;
    return port;
  };
}
