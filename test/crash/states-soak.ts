import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '@weir/embedded';
import { serverFolder } from '@weir/embedded/testing';
import t from 'tap';

/** The law of states over many more cases than a test run has: as many as the first argument says. */
const folder = await serverFolder('weir-states-');
const server = await startPostgres({
  dataDir: join(folder, 'postgres'),
  logFile: join(folder, 'postgres.log'),
  superuserPassword: 'weir-test',
  settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
});
t.teardown(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});
process.env.WEIR_TEST_DATABASE_URL = server.url;
await import('../../plugins/sources/test/shared-states.test.ts');
