import { readFile } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { FOR_PLUGINS, needsOf, PUBLISHED } from '../build.ts';
import { ROOT } from '../walls.ts';

const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');

t.test(
  'what the tutorial of plugins packs → everything of ours that it needs, and no public registry is asked',
  async (t) => {
    const page = await read('docs/tutorials/first-plugin.md');
    t.match(page, /^npm run packages -- ~\/packages$/m, 'one command packs them');
    t.notMatch(page, /npm pack .*-w /, 'the page has no list of its own');
    const manifests = await Promise.all(FOR_PLUGINS.map((folder) => read(`${folder}/package.json`)));
    const packed = new Set(manifests.map((text) => (JSON.parse(text) as { name: string }).name));
    t.ok(packed.has('@weir/documents'), 'which the page once forgot');
    for (const folder of [...FOR_PLUGINS, 'plugin-template'])
      for (const name of needsOf(folder)) t.ok(!name.startsWith('@weir/') || packed.has(name), `${folder}: ${name}`);
    t.ok(FOR_PLUGINS.every((folder) => PUBLISHED.includes(folder)));
    t.match(await read('plugin-template/.npmrc'), /^@weir:registry=https:\/\/packages\.invalid\/$/m);
  },
);
