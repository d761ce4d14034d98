import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What the independent reader of the tests is made of. */
const REQUIREMENTS = ['pyiceberg[sql-postgres,pyarrow]==0.12.0'];
const INSTALL_TIMEOUT_MS = 300_000;
const RUN_TIMEOUT_MS = 120_000;
const run = promisify(execFile);

/**
 * The path of a Python that has PyIceberg: the one that `WEIR_TEST_PYTHON` names, else one in the user's cache that is
 * made on first use. It is made under another name and moved into place, so that two tests may ask at once.
 */
export async function testPython(): Promise<string> {
  if (process.env.WEIR_TEST_PYTHON) return process.env.WEIR_TEST_PYTHON;
  const hash = createHash('sha256').update(REQUIREMENTS.join('\n')).digest('hex').slice(0, 12);
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'weir');
  const home = join(cache, `python-${hash}`);
  const python = join(home, 'bin', 'python');
  const ready = (): Promise<boolean> =>
    access(python).then(
      () => true,
      () => false,
    );
  if (await ready()) return python;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'python-draft-'));
  try {
    await run('python3', ['-m', 'venv', draft], { timeout: INSTALL_TIMEOUT_MS });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...REQUIREMENTS];
    await run(join(draft, 'bin', 'python'), pip, { timeout: INSTALL_TIMEOUT_MS });
    await rename(draft, home).catch(async (error) => {
      if (!(await ready())) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return python;
}

/** Runs a script with that Python; what it prints last, as JSON. */
export async function runPython(script: string, ...args: readonly string[]): Promise<unknown> {
  const { stdout } = await run(await testPython(), ['-c', script, ...args], {
    timeout: RUN_TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null');
}
