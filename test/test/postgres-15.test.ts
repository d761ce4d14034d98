import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';

const WALL = [
  'kernel/test/persistence.test.ts',
  'kernel/test/persistence-pages.test.ts',
  'migrations/test/catalog-wall.test.ts',
  'migrations/test/migrate.test.ts',
  'migrations/test/plugin-migrations.test.ts',
  'test/test/tenant-wall.test.ts',
];
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HANG_LIMIT_MS = 380_000;
const AS_TEST = ['--conditions=@weir/source', `--import=${new URL('../test-process.ts', import.meta.url).href}`];

// Six files run one after the other; only a hang takes so long.
t.setTimeout(900_000);

t.test('the tenant wall holds on Postgres 15 as it does on the embedded release', async (t) => {
  const url = process.env.WEIR_TEST_POSTGRES_15_URL;
  if (url === undefined) {
    t.comment('Postgres 15 is not installed here; the embedded release alone was tested');
    return;
  }
  const env = { ...process.env, WEIR_TEST_DATABASE_URL: url, TAP: '1' };
  for (const file of WALL) {
    const run = promisify(execFile)(process.execPath, [...process.execArgv, ...AS_TEST, file], {
      cwd: ROOT,
      env,
      timeout: HANG_LIMIT_MS,
    });
    // A tap file that fails, or whose plan is not met, ends with another exit code.
    const failed = await run.then(
      ({ stdout }) => (/^ok \d/m.test(stdout) ? [] : ['no test ran']),
      ({ stdout, message }: { stdout: string; message: string }) => stdout.match(/^ *not ok.*$/gm) ?? [message],
    );
    t.strictSame(failed, [], file);
  }
});
