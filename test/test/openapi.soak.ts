import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { testPlatform } from '../platform.ts';

const run = promisify(execFile);
/** Installed for this lane only: together they are as large as everything else that tests need. */
const LINTERS = ['@redocly/cli@2.77.0', '@stoplight/spectral-cli@6.16.3'];
/** Two of the specification's own paths: `/sources/{source_id}/…` beside names of its own. */
const AMBIGUOUS = 'no-ambiguous-paths';

t.test('the OpenAPI document → no error and no warning of two linters but ambiguous paths', async (t) => {
  const folder = t.testdir({ 'package.json': '{"private":true}', '.spectral.yaml': 'extends: ["spectral:oas"]\n' });
  const { api } = await testPlatform(t, join(folder, 'data'));
  const document = join(folder, 'openapi.json');
  await writeFile(document, await (await fetch(new URL('/openapi.json', api.url))).text());
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...LINTERS], { cwd: folder });
  const lint = async (program: string, args: readonly string[]) => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    const file = join(folder, 'node_modules/.bin', program);
    const { stdout } = await run(file, args, options).catch((error: { stdout: string }) => error);
    return JSON.parse(stdout.slice(stdout.search(/[[{]/))) as unknown;
  };
  const redocly = (await lint('redocly', ['lint', '--format=json', '--max-problems=1000', document])) as {
    problems: { ruleId: string; message: string }[];
  };
  t.strictSame(
    redocly.problems.filter(({ ruleId }) => ruleId !== AMBIGUOUS).map(({ message }) => message),
    [],
  );
  t.strictSame(await lint('spectral', ['lint', '--quiet', '--format=json', document]), []);
});
