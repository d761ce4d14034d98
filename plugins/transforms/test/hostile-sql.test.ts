import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assignFieldIds } from '@weir/lakehouse';
import t from 'tap';
import { sample } from '../../../test/lane.ts';
import { runQuery } from '../src/contract.ts';
import { createSelects } from '../src/service/select/selects.ts';
import { hostileStatements, ORDERS, RUNAWAYS } from './hostile-statements.ts';
import { FOREIGN, queryWorld } from './query-kit.ts';
import { BOUNDS } from './select-kit.ts';

const OFTEN = 6;
const FEW = 2;
const LEAST_STATEMENTS = 150;

/** Names and bytes of all files below a folder. */
async function contentOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  for (const path of paths.toSorted()) hash.update(path).update(await readFile(path));
  return hash.digest('hex');
}

t.test('hostile statements', async (t) => {
  const { as, world, tenants } = await queryWorld(t);
  const { call } = as('acme');
  const [pin] = await world.inputs.pin(tenants.acme, [{ datasetId: ORDERS }]);
  if (pin === undefined) throw new Error('the table is not there');
  const [file] = (pin.plan as { files: { location: string }[] }).files;
  const folder = t.testdirName;
  const all = hostileStatements(new URL(file?.location ?? '').pathname, folder);
  const before = await contentOf(`${folder}/warehouse`);
  const telling = [FOREIGN, 'name 1', folder, 'root:', String(process.env.HOME), '/proc/', 'passwd', 'allowed_'];
  const selects = createSelects({ scratch: `${folder}/scratch`, bounds: BOUNDS });
  t.teardown(() => selects.close());

  t.ok(all.length >= LEAST_STATEMENTS);
  await t.test('over HTTP → refused, and the answer tells nothing', async (t) => {
    for (const sql of sample('hostile-sql', all, OFTEN)) {
      const answer = await call(runQuery, { body: { sql } });
      t.match(answer, { ok: false, problem: { code: /^(sql_refused|dataset_not_readable|not_found)$/ } }, sql);
      const text = JSON.stringify(answer);
      for (const word of telling) t.notOk(text.includes(word), `${word}: ${sql}`);
    }
  });

  await t.test('as a run that writes → refused, with nothing written', async (t) => {
    const schema = { type: 'struct' as const, 'schema-id': 0, fields: assignFieldIds([{ name: 'v', type: 'string' }]) };
    const place = `${folder}/warehouse/silver/acme/made`;
    for (const sql of sample('hostile-sql', all, OFTEN)) {
      const ran = selects.run({ sql, inputs: [pin], schema, folder: place, store: pin.store });
      const refused: unknown = await ran.catch((error) => error);
      t.match(refused, { name: 'SqlRefused', faults: [{ code: String }] }, sql);
      t.notOk(String(refused).includes(folder), sql);
    }
  });

  t.equal(await contentOf(`${folder}/warehouse`), before, 'every file is as it was, and there is no other');
  t.match(await call(runQuery, { body: { sql: `select count(*) as n from ${ORDERS}` } }), { body: { rows: [['5']] } });
});

t.test('runaway statements → end by a bound that has a name, and the next one runs', async (t) => {
  const bounds = { ...BOUNDS, memoryMiB: 512, spillMiB: 16, deadlineMs: 1_500 };
  // The folder of a test goes before its teardowns, and a process that begins would meet that.
  const selects = createSelects({ scratch: await mkdtemp(join(tmpdir(), 'weir-selects-')), bounds });
  t.teardown(() => selects.close());
  const ask = (sql: string) => selects.rows({ sql, inputs: [], limit: 1, maxBytes: 1_000 });
  for (const sql of sample('hostile-sql', RUNAWAYS, FEW)) {
    const code = /^(query_deadline|out_of_memory|spill_full|result_too_large)$/;
    t.match(await ask(sql).catch((error) => error), { name: 'SelectFailed', code }, sql.slice(0, 80));
  }
  const bomb = `select ${'('.repeat(50_000)}1${')'.repeat(49_000)}`;
  t.match(await ask(bomb).catch((error) => error), { name: 'SqlRefused' });
  t.strictSame((await ask('select 1 as one')).rows, [[1]]);
});
