import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import t from 'tap';
import { engineClient } from '../src/container/engine-client.ts';

/** Far less than one connection has. */
const FEW_CHARS = 2_000;

t.test('what the library writes down of a request says nothing of the connections of others', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'engine-client-'));
  const socketPath = join(folder, 'docker.sock');
  const asked = Promise.withResolvers<void>();
  // It answers nothing, as an engine that is asked to wait for the end of a container.
  const server = createServer(() => asked.resolve());
  await new Promise<void>((listening) => server.listen(socketPath, listening));
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const client = await engineClient(socketPath);
  client.ping().catch(() => undefined);
  await asked.promise;
  const { agent } = client.modem as unknown as { agent: object };
  t.ok(inspect({ agent }, { showHidden: true, depth: null }).length < FEW_CHARS);
});
