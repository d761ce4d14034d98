import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { fuzzPlatform, succeeded } from '../fuzz/fuzz-platform.ts';

const HANG_LIMIT_MS = 230_000;
const WANTED_SHARE = 0.9;
/** Every operation by its example, however slow the machine; then others for a while. `npm run fuzz` is the long form. */
const EFFORTS = [
  { phases: ['examples'], examples: 1, seed: 1, maxSeconds: 90 },
  { phases: ['coverage'], examples: 1, seed: 1, maxSeconds: 8 },
];

t.test(
  'as two tenants: no server error, every answer as documented, no route without its token, and 2xx from nine in ten',
  { timeout: HANG_LIMIT_MS },
  async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'weir-fuzz-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const { runs, operations } = await fuzzPlatform(t, folder, EFFORTS);
    for (const { tenant, passed, said } of runs) t.ok(passed, tenant, { diagnostic: !passed, said });
    const good = operations.filter(succeeded);
    const missed = operations.filter((operation) => !good.includes(operation)).map(({ name }) => name);
    t.comment(`${good.length} of ${operations.length} operations reached a 2xx; not: ${missed.join(', ')}`);
    t.ok(good.length / operations.length >= WANTED_SHARE, missed.join(', '));
  },
);
