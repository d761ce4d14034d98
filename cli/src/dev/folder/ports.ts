import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { CliError } from '../../cli-error.ts';
import { writePrivately } from '../../write-privately.ts';
import type { DevFolder } from './folder.ts';

const API_PORT = 8080;

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
    if (name === 'api' && wantedApi !== undefined && !(await isFree(Number(wantedApi)))) {
      throw new CliError('conflict', `Port ${wantedApi} is in use.`, {
        hint: 'Unset WEIR_HTTP_PORT to take a free one.',
      });
    }
    const port = wanted !== undefined && (await isFree(wanted)) ? wanted : await anyFree();
    chosen[name] = port;
    writing = writing.then(() => writePrivately(file, `${JSON.stringify(chosen)}\n`));
    await writing;
    return port;
  };
}
