import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { isOutput } from '../docs/blocks.ts';
import { normalised, showsSame } from '../docs/normalise.ts';
import { readPage } from '../docs/page.ts';
import { openShell } from '../docs/shell.ts';
import { ROOT } from '../walls.ts';

const PAGE = 'docs/tutorials/first-plugin.md';
/** The step that changes the checkout; a deployment of its own runs the plugin in template.test.ts. */
const INSTALLS_INTO_CHECKOUT = 'npm install --no-save ~/weir-plugin-notes/';

t.test('the tutorial of plugins → its own blocks copy, install, change, test and pack a plugin', async (t) => {
  const home = await mkdtemp(path.join(tmpdir(), 'weir-plugin-'));
  t.teardown(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
  const { blocks } = readPage(PAGE, await readFile(path.join(ROOT, PAGE), 'utf8'));
  const end = blocks.findIndex(({ text }) => text.startsWith(INSTALLS_INTO_CHECKOUT));
  t.ok(end > 5, 'the step that ends it is there');
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|_?TAP|NODE_OPTIONS$)/i.test(name));
  // Settings and cache of npm are those of who runs the lane.
  const npm = { npm_config_userconfig: path.join(homedir(), '.npmrc'), npm_config_cache: path.join(homedir(), '.npm') };
  const { WEIR_TEST_DATABASE_URL } = process.env;
  const env = { ...Object.fromEntries(own), ...npm, HOME: home, PATH, WEIR_TEST_DATABASE_URL };
  const shell = await openShell({ cwd: ROOT, env });
  try {
    for (const [at, block] of blocks.slice(0, end).entries()) {
      // The database of this test is named already.
      if (block.lang !== 'sh' || block.text.startsWith('export WEIR_TEST_DATABASE_URL')) continue;
      const { code, output } = await shell.run(block.text);
      if (!t.equal(code, 0, `${PAGE}:${block.line}`)) return t.comment(output);
      const shown = blocks[at + 1];
      if (shown === undefined || !isOutput(shown)) continue;
      t.ok(showsSame(shown.text, output), `${PAGE}:${shown.line}`, { printed: normalised(output) });
    }
    const packed = await shell.run('ls acme-weir-plugin-notes-0.1.0.tgz && npm config get @weir:registry');
    t.match(packed, { code: 0, output: /packages\.invalid/ });
  } finally {
    await shell.end();
  }
});
