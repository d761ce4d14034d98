import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { readPage } from '../docs/page.ts';
import { openShell } from '../docs/shell.ts';
import { ROOT } from '../walls.ts';

const PAGE = 'docs/how-to/add-a-domain.md';
const OURS = 'not run: test/test/add-a-domain.soak.ts ';
/** The registry is not asked: the new package needs a link alone. */
const INSTALL = /^npm install .*$/m;
const LINK = 'ln -sfn ../../plugins/bookmarks node_modules/@weir/plugin-bookmarks';

t.test(
  'the blocks of the page, in a clone → a domain that passes check, its tests and the access matrix',
  async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'weir-domain-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const clone = path.join(folder, 'weir');
    execFileSync('git', ['clone', '--quiet', ROOT, clone]);
    for (const modules of globSync(['node_modules', '*/node_modules', '*/*/node_modules'], { cwd: ROOT }))
      if (!modules.startsWith('node_modules/') && existsSync(path.join(clone, path.dirname(modules))))
        execFileSync('cp', ['-al', path.join(ROOT, modules), path.join(clone, modules)]);
    const { PATH, HOME } = process.env;
    const shell = await openShell({ cwd: clone, env: { PATH, HOME, NO_COLOR: '1' } });
    const { blocks } = readPage(PAGE, await readFile(path.join(ROOT, PAGE), 'utf8'));
    const own = blocks.filter(({ info }) => info.startsWith(OURS));
    t.ok(own.length > 7, 'the page has its blocks');
    for (const { text, line } of own) {
      const { code, output } = await shell.run(`set -e\n${text.replace(INSTALL, LINK)}`);
      if (!t.equal(code, 0, `${PAGE}:${line}`, { output })) break;
    }
    await shell.end();
  },
);
