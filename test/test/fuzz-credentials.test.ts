import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { fuzzCredentials } from '../fuzz/fuzz-credentials.ts';
import { FUZZ_ROLES } from '../fuzz/fuzz-platform.ts';
import { unreached } from '../fuzz/reached.ts';

const HANG_LIMIT_MS = 390_000;
/** The example of every operation, however slow the machine, and others for a while. */
const EFFORTS = [
  { phases: ['examples'], examples: 1, seed: 1, maxSeconds: 120, roles: ['admin'] },
  { phases: ['coverage'], examples: 1, seed: 1, maxSeconds: 5, roles: FUZZ_ROLES },
] as const;

t.test(
  'as three roles, where credentials lie in a secret store: no server error, and a 2xx from every route of theirs',
  { timeout: HANG_LIMIT_MS },
  async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'weir-fuzz-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const { runs, operations } = await fuzzCredentials(t, folder, EFFORTS);
    for (const { caller, passed, said } of runs) t.ok(passed, caller, { diagnostic: !passed, said });
    t.equal(operations.length, 6);
    t.strictSame(unreached(operations), []);
  },
);
