import { createHash } from 'node:crypto';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { configured, dataOf, folder, read, statesOf } from './kit.ts';

const NAMES = ['a.csv', 'b.csv', 'c.csv'];
const change = fc.record({ name: fc.constantFrom(...NAMES), rows: fc.integer({ min: 0, max: 3 }), gone: fc.boolean() });
t.test('an incremental read gives the rows of exactly the files that were added or changed', async (t) => {
  const path = await folder();
  const config = { path, streams: [{ name: 's', glob: '*.csv' }] };
  const catalog = configured({
    streams: [{ name: 's', json_schema: { type: 'object', properties: { v: { type: ['null', 'string'] } } } }],
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 4 }), async (rounds) => {
      for (const name of NAMES) await rm(join(path, name), { force: true });
      await writeFile(join(path, 'always.csv'), 'v\n');
      let state: unknown[] = [];
      let stamp = 0;
      const now = new Map<string, string[]>([['always.csv', []]]);
      const seen = new Map<string, string>();
      for (const round of [[], ...rounds]) {
        for (const { name, rows, gone } of round) {
          if (gone) {
            await rm(join(path, name), { force: true });
            now.delete(name);
            continue;
          }
          stamp += 1;
          const values = Array.from({ length: rows }, (_, row) => `${stamp}-${row}`);
          await writeFile(join(path, name), `v\n${values.map((value) => `${value}\n`).join('')}`);
          now.set(name, values);
        }
        const digest = (values: readonly string[]) => createHash('sha256').update(values.join()).digest('hex');
        const changed = [...now].filter(([name, values]) => seen.get(name) !== digest(values));
        const said = await read(config, catalog, state);
        t.equal(said.code, 0);
        t.strictSame(
          dataOf(said)
            .map(({ v }) => v)
            .sort(),
          changed.flatMap(([, values]) => values).sort(),
        );
        state = statesOf(said).length === 0 ? state : statesOf(said).slice(-1);
        seen.clear();
        for (const [name, values] of now) seen.set(name, digest(values));
      }
      t.strictSame(statesOf(await read(config, catalog, state)), []);
      await truncate(join(path, 'always.csv'), 2);
    }),
    { numRuns: 12 },
  );
});
