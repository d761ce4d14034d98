import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { platform, tmpdir } from 'node:os';
import path from 'node:path';
import { until } from './until.ts';

/** A socket whose name no file has goes with its process, however that ends; elsewhere it is a file. */
const ADDRESS = platform() === 'linux' ? '\0weir-test-run' : path.join(tmpdir(), 'weir-test-run.sock');

async function isHeld(): Promise<boolean> {
  const client = connect(ADDRESS);
  return once(client, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => client.destroy());
}

async function tryLock(): Promise<boolean> {
  const server = createServer((client) => client.destroy()).unref();
  const listening = once(server.listen(ADDRESS), 'listening').then(
    () => true,
    () => false,
  );
  if (await listening) return true;
  if (!(await isHeld()) && platform() !== 'linux') rmSync(ADDRESS, { force: true });
  return false;
}

/** Resolves when this process is the only whole test run of the machine, until it ends; two would only slow each other down. */
export async function lockRuns(say: (line: string) => void): Promise<void> {
  if (await tryLock()) return;
  say('  another whole run is on this machine; this one begins when it has ended');
  await until('the end of another whole run', tryLock);
}
