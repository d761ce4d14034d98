import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { createSource, createStream } from '../../sources/src/contract.ts';
import * as endpoints from '../src/contract.ts';
import { refused } from './kit.ts';
import { runWorld } from './run-kit.ts';

const SHOP = 'bronze.acme.mueller_soehne__orders';
const LINES = 'silver.acme.lines';
const SUMS = 'gold.acme.sums';
const PROPERTIES = {
  id: { type: 'integer' },
  total: { type: 'number' },
  buyer: { type: 'object', properties: { city: { type: 'string' } } },
};

t.test('a chain over a stream that never synced → in force before anything ran', async (t) => {
  const { ok, call, folder } = await runWorld(t);
  const path = join(folder, 'shop');
  await mkdir(path);
  await writeFile(join(path, 'orders.jsonl'), '{"id":1}\n');
  const body = { name: 'mueller_soehne', pattern_id: 'files', source_config: { path } };
  const { source_id } = await ok(createSource, { body });
  const stream = { name: 'orders', schema: { type: 'object', properties: PROPERTIES }, enabled: true };
  const { destination } = await ok(createStream, { params: { source_id }, body: stream });
  t.equal(destination.dataset_id, SHOP);

  const create = async (name: string, output: string, sql: string) =>
    (await ok(endpoints.createTransform, { body: { name, output, sql } })).transform_id;
  const hydrate = (transform_id: string) => call(endpoints.hydrateTransform, { params: { transform_id } });
  const lines = await create('linien', LINES, `select id, total * 2 as twice, buyer, _file as file from ${SHOP}`);
  const sums = await create('sums', SUMS, `select file, sum(twice) as s, min(buyer) as b from ${LINES} group by file`);

  await t.test('an input whose producer has no version in force → refused, and the producer is named', async (t) => {
    const answer = await hydrate(sums);
    t.match(answer, {
      ...refused(409, 'input_missing'),
      problem: {
        faults: [
          { code: 'input_not_made', dataset_id: LINES, producer: { kind: 'transform', id: lines, name: 'linien' } },
        ],
        next: [{ operation: 'transforms.hydrate_transform', params: { transform_id: lines } }],
      },
    });
  });

  await t.test('inputs that are declared → columns with their types, and lineage', async (t) => {
    t.match(await hydrate(lines), {
      body: {
        version: 1,
        artifact: {
          columns: [
            { name: 'id', type: 'long' },
            { name: 'twice', type: 'double' },
            { name: 'buyer' },
            { name: 'file' },
          ],
          lineage: [{}, { sources: [{ dataset_id: SHOP, column: 'total' }], complete: true }, {}, {}],
        },
      },
    });
    t.match(await hydrate(sums), {
      body: {
        artifact: {
          ...{ inputs: [LINES], lineage: [{}, { sources: [{ dataset_id: LINES, column: 'twice' }] }, {}] },
          reads: [
            { dataset_id: LINES, column: 'twice', type: 'double' },
            { dataset_id: LINES, column: 'buyer', type: 'string' },
            { dataset_id: LINES, column: 'file', type: 'string' },
          ],
        },
      },
    });
  });

  await t.test('a run → refused, and its readiness says what it waits for', async (t) => {
    const params = { transform_id: sums };
    const detail = `It waits for \`${LINES}\`, which the transform \`linien\` makes.`;
    t.match(await call(endpoints.getTransformDetail, { params }), {
      body: {
        can_run_now: false,
        readiness: {
          checks: [
            ...[{}, {}, {}, {}],
            { check: 'inputs', status: 'fail', detail, items: [{ id: LINES, name: LINES, code: 'not_made_yet' }] },
          ],
        },
      },
    });
    const answer = await call(endpoints.materializeTransform, { params, body: {} });
    t.match(answer, {
      ...refused(409, 'transform_not_ready'),
      problem: { check: 'inputs', errors: [{ message: detail.slice(0, -1) }] },
    });
    const ofStream = await call(endpoints.getTransformDetail, { params: { transform_id: lines } });
    const waits = `It waits for \`${SHOP}\`, which the source \`mueller_soehne\` loads.`;
    t.match(ofStream, { body: { readiness: { checks: [{}, {}, {}, {}, { detail: waits }] } } });
  });

  await t.test('validated → its columns and who makes its input; previewed → refused with who', async (t) => {
    const sql = `select twice from ${LINES}`;
    t.match(await ok(endpoints.validateTransform, { body: { sql } }), {
      ...{ valid: true, faults: [], columns: [{ name: 'twice', type: 'double' }] },
      inputs: [{ dataset_id: LINES, snapshot_id: null, rows: '0', not_made: { kind: 'transform', name: 'linien' } }],
    });
    const producer = { kind: 'transform', id: lines, name: 'linien' };
    t.match(await call(endpoints.runQuery, { body: { sql } }), {
      ...refused(409, 'input_missing'),
      problem: { faults: [{ dataset_id: LINES, producer }] },
    });
  });

  await t.test('what others declare → not readable, and nothing of it said', async (t) => {
    const sql = 'select * from silver.other.lines';
    const answer = await call(endpoints.runQuery, { body: { sql } });
    t.match(answer, { ...refused(403, 'dataset_not_readable'), problem: { faults: [{ producer: undefined }] } });
    await ok(endpoints.changeTransform, { params: { transform_id: lines }, body: { archived: true } });
    const left = await create('left', 'gold.acme.left', `select twice from ${LINES}`);
    t.match(await hydrate(left), refused(409, 'input_missing'), 'an archived transform makes nothing');
  });
});
