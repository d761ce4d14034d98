import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { tableFromIPC } from 'apache-arrow';
import t from 'tap';
import { ARROW_STREAM, NEXT_PAGE_HEADER } from '../src/contract.ts';
import { lake, rawAnswer } from './kit.ts';

const BIG = '9007199254740993';
const PREVIEW = '/datasets/bronze.acme.orders/preview';
const IN_PYTHON = `
import sys, pyarrow.ipc as ipc
table = ipc.open_stream(sys.argv[1]).read_all()
print(table['id'].to_pylist()[0], table.schema.field('id').type, table.schema.metadata[b'weir.snapshot_id'].decode())
`;

t.test('rows come as an Arrow stream to those who ask for it, page by page, with exact types', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { snapshotId } = await world.land(acme, 'orders', [{ id: BIG, name: 'a' }, { id: 2 }, { name: 'c' }]);
  const asked = `${PREVIEW}?columns=id,name,_extracted_at&order=-id&limit=2`;
  const first = await rawAnswer(world, 'acme', asked, { accept: ARROW_STREAM });
  t.equal(first.statusCode, 200);
  t.equal(first.headers['content-type'], ARROW_STREAM);
  const table = tableFromIPC(first.rawPayload);
  t.strictSame(
    table.schema.fields.map(({ name, type }) => `${name} ${type}`),
    ['id Int64', 'name Utf8', '_extracted_at Timestamp<MICROSECOND, UTC>'],
  );
  t.strictSame([...table.getChild('id')!], [BigInt(BIG), 2n]);
  t.equal(table.schema.metadata.get('weir.snapshot_id'), snapshotId);
  t.equal(table.schema.metadata.get('weir.dataset_id'), 'bronze.acme.orders');
  const token = String(first.headers[NEXT_PAGE_HEADER]);
  const json = await rawAnswer(world, 'acme', `${asked}&page_token=${token}`);
  t.match(json.json(), { rows: [[null, 'c', String]], next_page_token: null }, 'a token is good for both forms');
  const last = await rawAnswer(world, 'acme', `${asked}&page_token=${token}`, { accept: ARROW_STREAM });
  t.strictSame([...tableFromIPC(last.rawPayload).getChild('name')!], ['c']);
  t.equal(last.headers[NEXT_PAGE_HEADER], undefined);
  const path = `${t.testdir()}/rows.arrows`;
  writeFileSync(path, first.rawPayload);
  const python = process.env.WEIR_TEST_PYTHON;
  if (python === undefined) throw new Error('WEIR_TEST_PYTHON is not set: run tests with npm test');
  const { stdout } = await promisify(execFile)(python, ['-c', IN_PYTHON, path]);
  t.equal(stdout.trim(), `${BIG} int64 ${snapshotId}`);
});

t.test(
  'the form follows Accept with its weights; what asks for neither is 406; faults are problems in both',
  async (t) => {
    const world = await lake(t);
    const acme = await world.tenant('acme');
    await world.land(acme, 'orders', [{ id: 1 }]);
    await world.tables.prepare(acme, world.tables.bronze(acme, 'empty'), { type: 'object', properties: { id: {} } });
    const typeOf = async (accept: string, path = PREVIEW) => {
      const { statusCode, headers } = await rawAnswer(world, 'acme', path, { accept });
      return `${statusCode} ${String(headers['content-type']).split(';')[0]}`;
    };
    const json = '200 application/json';
    const arrow = `200 ${ARROW_STREAM}`;
    t.equal(await typeOf('*/*'), json);
    t.equal(await typeOf(`${ARROW_STREAM};q=0.5, application/json;q=0.9`), json);
    t.equal(await typeOf(`application/json;q=0.1, ${ARROW_STREAM}`), arrow);
    t.equal(await typeOf(`text/html, ${ARROW_STREAM};q=0.2`), arrow);
    t.equal(await typeOf('application/*'), json);
    t.equal(await typeOf('text/html'), '406 application/problem+json');
    t.equal(await typeOf(`${ARROW_STREAM};q=0`), '406 application/problem+json');
    t.equal(await typeOf(ARROW_STREAM, `${PREVIEW}?filter=x`), '400 application/problem+json');
    t.equal(await typeOf(ARROW_STREAM, '/datasets/bronze.other.x/preview'), '403 application/problem+json');
    t.equal(await typeOf(ARROW_STREAM, '/datasets/bronze.acme.empty/preview'), arrow, 'a table without snapshots');
  },
);
