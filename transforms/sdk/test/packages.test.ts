import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { loadPackage } from '../src/load-package.ts';
import { makeDefinition } from '../src/make.ts';
import { openSession, standardSuite } from '../src/testing.ts';

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

t.test('rows alike in their order beside a column with a name for rows → the same one in any order', async (t) => {
  const input = 'bronze.demo.orders';
  const session = await openSession();
  t.teardown(() => session.close());
  const rows = Array.from({ length: 40 }, (_, at) => [at % 4, 1, `v${at}`, 7]);
  for (const name of ['deduplicate', 'incremental-merge']) {
    const { pattern } = await loadPackage(join(ROOT, 'transforms', name));
    const made = makeDefinition(pattern!, { input, key: ['id'], order_by: [{ column: 'at' }] });
    const sql = 'made' in made ? made.made.sql : '';
    const kept = async (row: string, all: typeof rows) => {
      await session.load({
        [input]: { columns: { id: 'bigint', at: 'bigint', v: 'varchar', [row]: 'bigint' }, rows: all },
      });
      return (await session.rows(sql)).rows.sort();
    };
    const plain = await kept('plain', rows);
    t.equal(plain.length, 4);
    for (const row of ['candidate', 'change', 'row', 'orders']) {
      t.strictSame(await kept(row, rows), plain, `${name} beside ${row}`);
      t.strictSame(await kept(row, rows.toReversed()), plain, `${name} beside ${row}, reversed`);
    }
  }
});
