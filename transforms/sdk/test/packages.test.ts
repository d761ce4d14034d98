import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { standardSuite } from '../src/testing.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PATTERNS = [
  ...['aggregate-over-joins', 'clean-and-cast', 'data-quality-gate', 'deduplicate', 'incremental-merge'],
  'slowly-changing-dimension-2',
];

for (const name of PATTERNS) {
  t.test(`${name} holds the laws of packages`, async (t) => {
    const folder = join(ROOT, 'transforms', name);
    const { laws, close } = await standardSuite(folder);
    t.teardown(close);
    for (const law of laws) await t.resolves(law.run(), law.name);
    const { id } = JSON.parse(await readFile(join(folder, 'pattern.json'), 'utf8'));
    t.equal(id, name);
  });
}
