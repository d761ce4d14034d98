import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { fuzzPlatform } from '../fuzz/fuzz-platform.ts';
import { enough, reasonOf, unreached } from '../fuzz/reached.ts';

const HANG_LIMIT_MS = 390_000;
/** One tenant by the example of every operation, however slow the machine; the other by others for a while. `npm run fuzz` is the long form, as three roles. */
const EFFORTS = [
  { phases: ['examples'], examples: 1, seed: 1, maxSeconds: 240, roles: ['admin'], tenants: ['acme'] },
  { phases: ['coverage'], examples: 1, seed: 1, maxSeconds: 8, roles: ['admin'], tenants: ['other'] },
] as const;
/** Refused where credentials stay in the database; `fuzz-credentials.test.ts` wants a 2xx of each where they do not. */
const OF_THE_OTHER_MODE = /credentials/;

t.test(
  'as two tenants: no server error, every answer as documented, no route without its token, and 2xx from 95 in 100',
  { timeout: HANG_LIMIT_MS },
  async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'weir-fuzz-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const { runs, operations } = await fuzzPlatform(t, folder, EFFORTS);
    for (const { caller, passed, said } of runs) t.ok(passed, caller, { diagnostic: !passed, said });
    const here = operations.filter(({ name }) => !OF_THE_OTHER_MODE.test(name));
    const missed = unreached(here).map(
      ({ name, statuses }) => `${name} ${JSON.stringify(statuses)} (${reasonOf(name)})`,
    );
    t.comment(`${here.length - missed.length} of ${here.length} reached a 2xx; not: ${missed.join(', ')}`);
    t.ok(enough(here), missed.join(', '));
  },
);
