import type { Tenant } from '@weir/kernel';
import t from 'tap';
import type { SamplesService } from '../src/contract.ts';
import { lake } from './kit.ts';

const ROWS = [
  { id: 1, name: 'ann' },
  { id: 2, name: 'ben' },
  { id: 3, name: 'cleo' },
];

t.test('a sample of a dataset', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const globex = await world.tenant('globex');
  const samples = world.registration.services?.find(({ id }) => id === 'datasets.samples@1')
    ?.implementation as SamplesService;
  const { snapshotId } = await world.land(acme, 'people', ROWS);
  await world.land(globex, 'people', ROWS.slice(1));
  const id = `bronze.${acme.scope}.people`;
  const asked = (sql: string, more: object = {}) => ({
    snapshotId,
    columns: ['name', 'id'],
    rows: 10,
    statements: [{ sql, maxRows: 10 }],
    ...more,
  });

  t.test('is described by its snapshot and its columns', async (t) => {
    const { columns, ...rest } = await samples.describe(acme, id);
    t.strictSame(rest, { snapshotId });
    t.strictSame(columns.slice(0, 2), [
      { name: 'id', type: 'long' },
      { name: 'name', type: 'string' },
    ]);
  });

  t.test('answers statements over its first rows', async (t) => {
    const sql = 'SELECT r, c0, c1 FROM sample ORDER BY r';
    t.strictSame(await samples.ask(acme, id, asked(sql, { rows: 2 })), {
      rows: 2,
      more: true,
      results: [
        [
          [0, 1],
          ['ann', 'ben'],
          ['1', '2'],
        ],
      ],
    });
    t.match(await samples.ask(acme, id, asked('SELECT 1 FROM sample', { snapshotId: null })), { rows: 0, more: false });
  });

  t.test('is one of a dataset that the tenant may read', async (t) => {
    const ask = (tenant: Tenant, of: string): Promise<unknown> => samples.ask(tenant, of, asked('SELECT 1'));
    const describe = (tenant: Tenant, of: string): Promise<unknown> => samples.describe(tenant, of);
    for (const look of [ask, describe]) {
      await t.rejects(look(globex, id), { code: 'dataset_not_readable' });
      await t.rejects(look(acme, 'people'), { code: 'invalid_dataset_id' });
      await t.rejects(look(acme, `bronze.${acme.scope}.none`), { code: 'not_found' });
    }
  });

  t.test('is refused where the table has changed, or the answer is too large', async (t) => {
    await t.rejects(samples.ask(acme, id, asked('SELECT 1', { snapshotId: '1' })), { code: 'not_found' });
    await t.rejects(samples.ask(acme, id, asked('SELECT 1', { columns: ['gone'] })), { code: 'conflict' });
    await t.rejects(samples.ask(acme, id, asked('SELECT * FROM range(11)')), { code: 'preview_too_large' });
  });
});
