import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = join(ROOT, 'docs/tutorials/first-transform-package.md');

t.test('the blocks of the tutorial, one after the other → what the page shows', async (t) => {
  const page = await readFile(PAGE, 'utf8');
  const blocks = [...page.matchAll(/^```sh not run: (?:transforms\/|the same test)[^\n]*\n(.*?)^```$/gms)].map(
    ([, text]) => text,
  );
  t.equal(blocks.length, 4);
  const [, shown = ''] = /^```text\n(.*?)^```$/ms.exec(page) ?? [];
  const home = t.testdir();
  const script = blocks.join('\n').replace('npm run', `cd "${ROOT}" && npm run`);
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
    cwd: ROOT,
    env: { ...process.env, HOME: home },
  });
  t.equal(stdout, shown);
});
