import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { serverFolder } from '@weir/embedded/testing';
import t from 'tap';
import { crashPlatform } from '../crash/crash-platform.ts';

t.test('a server that does not start leaves none of those that were started before it', async (t) => {
  const folder = await serverFolder('weir-crash-servers-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const before = process.env.WEIR_TEST_TEMPORAL_BINARY;
  process.env.WEIR_TEST_TEMPORAL_BINARY = join(folder, 'no-such-program');
  t.teardown(() => {
    if (before === undefined) delete process.env.WEIR_TEST_TEMPORAL_BINARY;
    else process.env.WEIR_TEST_TEMPORAL_BINARY = before;
  });
  const ends: (() => unknown)[] = [];
  const collector = { teardown: (end: () => unknown) => ends.push(end) };
  await t.rejects(crashPlatform(collector as never, folder, { warehouse: 'folder', contained: false }));
  const postmaster = join(folder, 'postgres', 'postmaster.pid');
  await t.resolves(access(postmaster), 'Postgres runs');
  for (const end of ends.toReversed()) await end();
  await t.rejects(access(postmaster), 'and has gone with the test');
});
