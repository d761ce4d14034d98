import t from 'tap';
import { getDatasetSchema, listSchemaVersions, previewDataset, type TableCommit } from '../src/contract.ts';
import { batch, type Lake, lake, rewrite } from './kit.ts';

const FIRST = { type: 'object', properties: { id: { type: 'integer' }, note: { type: 'string' } } };
const SECOND = { type: 'object', properties: { ...FIRST.properties, price: { type: 'number' } } };
const params = { dataset_id: 'bronze.acme.orders' };

/** A table whose schema has grown once between two snapshots, and once more since. */
async function grown(world: Lake) {
  const acme = await world.tenant('acme');
  const first = await world.land(acme, 'orders', [{ id: 1 }], FIRST);
  const second = await world.land(acme, 'orders', [{ id: 2 }], SECOND);
  await world.tables.prepare(acme, first.ref, { type: 'object', properties: { later: { type: 'boolean' } } });
  return { acme, first, second, call: world.as('acme', 'viewer').call };
}

t.test('a schema is shown as it is, as a snapshot was written with it, and by its version', async (t) => {
  const world = await lake(t);
  const { first, second, call } = await grown(world);
  const names = async (query: object) => {
    const answer = await call(getDatasetSchema, { params, query });
    if (!answer.ok) return `${answer.status} ${answer.problem.code}`;
    const { schema_id: id, is_current: current, fields, snapshot_id: snapshot } = answer.body;
    const top = fields.filter(({ parent_id: parent }) => parent === null).map(({ name }) => name);
    return [id, current, snapshot, ...top.filter((name) => !name.startsWith('_'))];
  };
  t.strictSame(await names({}), [2, true, null, 'id', 'note', 'price', 'later']);
  t.strictSame(await names({ snapshot_id: first.snapshotId }), [0, false, first.snapshotId, 'id', 'note']);
  t.strictSame(await names({ snapshot_id: second.snapshotId }), [1, false, second.snapshotId, 'id', 'note', 'price']);
  t.strictSame(await names({ schema_id: 1 }), [1, false, null, 'id', 'note', 'price']);
  t.equal(await names({ schema_id: 9 }), '404 not_found');
  t.equal(await names({ snapshot_id: '9' }), '404 not_found');
  t.equal(await names({ schema_id: 1, snapshot_id: first.snapshotId }), '400 validation_failed');
  const answer = await call(getDatasetSchema, { params });
  const errors = answer.ok ? answer.body.fields.filter(({ type }) => type.startsWith('list<struct<')) : [];
  const element = answer.ok ? answer.body.fields.find((one) => one.parent_id === errors[0]?.id) : undefined;
  t.match(element, { name: 'element', type: /^struct<field: string/ }, 'what is nested names its parent');
});

t.test('the history lists every version with its time and its changes, newest first', async (t) => {
  const world = await lake(t);
  const { first, second, call } = await grown(world);
  const answer = await call(listSchemaVersions, { params });
  t.match(answer, {
    ok: true,
    body: {
      total: 3,
      next_page_token: null,
      items: [
        {
          schema_id: 2,
          is_current: true,
          first_snapshot_id: null,
          since: /Z$/,
          changes: [{ change: 'added', path: 'later', to: 'boolean' }],
        },
        {
          schema_id: 1,
          first_snapshot_id: second.snapshotId,
          changes: [{ change: 'added', path: 'price', from: null, to: 'double' }],
        },
        { schema_id: 0, first_snapshot_id: first.snapshotId, changes: [] },
      ],
    },
  });
  const times = answer.ok ? answer.body.items.map(({ since }) => Date.parse(since ?? '')) : [];
  t.strictSame(
    times,
    times.toSorted((a, b) => b - a),
  );
  const page = await call(listSchemaVersions, { params, query: { limit: 2, order: 'schema_id' } });
  const token = page.ok ? page.body.next_page_token! : '';
  const rest = await call(listSchemaVersions, { params, query: { limit: 2, order: 'schema_id', page_token: token } });
  t.match(rest, { ok: true, body: { items: [{ schema_id: 2, changes: [{ path: 'later' }] }], next_page_token: null } });
  await world.land(await world.tenant('acme'), 'visits', [{ id: 1 }]);
  for (const [dataset_id, order] of [
    [params.dataset_id, '-schema_id'],
    ['bronze.acme.visits', 'schema_id'],
  ] as const) {
    const refused = await call(listSchemaVersions, { params: { dataset_id }, query: { page_token: token, order } });
    t.match(refused, { ok: false, status: 400, problem: { code: 'invalid_page_token' } });
  }
});

t.test('a version that no snapshot was written with has the time of the first metadata that has it', async (t) => {
  const world = await lake(t);
  const { acme, first, call } = await grown(world);
  const sinceOf = async (id: number) => {
    const answer = await call(listSchemaVersions, { params, query: { order: 'schema_id' } });
    return answer.ok ? answer.body.items[id]?.since : answer.problem.code;
  };
  const made = await sinceOf(2);
  await world.land(acme, 'orders', [], FIRST);
  await rewrite(world, acme, {
    ref: first.ref,
    change: (metadata) => ({ ...metadata, snapshots: [], 'current-snapshot-id': undefined as never }),
  });
  t.equal(await sinceOf(2), made, 'the log says it');
  t.match(await sinceOf(0), /Z$/, 'the first metadata of a table says since when it is there');
  await rewrite(world, acme, {
    ref: first.ref,
    change: (metadata) => ({
      ...metadata,
      'metadata-log': metadata['metadata-log'].map((one) => ({
        ...one,
        'metadata-file': `${one['metadata-file']}.gone`,
      })),
    }),
  });
  t.equal(await sinceOf(2), null, 'nobody knows when the old metadata is gone');
});

t.test('an overwrite with another schema → new rows under it, old snapshots under theirs', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref, snapshotId } = await world.land(acme, 'orders', [{ id: 1, note: 'a' }], FIRST);
  const wanted = { type: 'object', properties: { id: { type: 'string' }, note: { type: 'string' } } };
  const { call } = world.as('acme', 'viewer');
  const rows = async (query: object) => {
    const answer = await call(previewDataset, { params, query: { columns: 'id,note,_extra', ...query } });
    return answer.ok ? answer.body.rows : answer.problem.code;
  };
  t.strictSame(await world.tables.conflicts(acme, ref, { jsonSchema: wanted }), ['id']);
  const kept = await world.tables.prepare(acme, ref, wanted, { conflicts: 'keep' });
  t.match(kept, { keptColumns: ['id'], replaces: false, schema: { 'schema-id': 0 } });
  const planned = await world.tables.prepare(acme, ref, wanted, { conflicts: 'replace' });
  t.match(planned, { keptColumns: [], replaces: true });
  t.strictSame((await world.tables.prepare(acme, ref, wanted, { conflicts: 'replace' })).schema, planned.schema);
  const more = { type: 'object', properties: { late: { type: 'integer' } } };
  const { schema } = await world.tables.prepare(acme, ref, more, { conflicts: 'replace', planned });
  const fieldsOf = (of: object) => (of as { fields: { name: string }[] }).fields;
  t.strictSame(fieldsOf(schema).slice(0, -1), fieldsOf(planned.schema), 'what was planned before stays');
  t.equal(fieldsOf(schema).at(-1)?.name, 'late');

  const { runId, leaseEpoch } = await world.run(acme);
  const files = await world.stage(acme, ref, [{ id: 'x', note: 'b' }], runId, wanted, { conflicts: 'replace' });
  const commit = { ...batch(ref, files), replaceSchema: planned.schema };
  const send = (one: TableCommit) => world.tables.commit(acme, { runId, leaseEpoch, tables: [one], checkpoints: [] });
  await t.rejects(send(commit), { entry: { code: 'staged_file_refused' } } as unknown as Error, 'an append');
  const done = await send({ ...commit, mode: 'overwrite' });
  t.strictSame(await send({ ...commit, mode: 'overwrite' }), done, 'a repeat answers the same');
  t.strictSame(await rows({}), [['x', 'b', null]]);
  t.strictSame(await rows({ snapshot_id: snapshotId }), [['1', 'a', null]]);
  t.match(await world.tables.prepare(acme, ref, wanted, { conflicts: 'replace' }), { replaces: false });

  const back = await world.tables.prepare(acme, ref, FIRST, { conflicts: 'replace' });
  await world.tables.prepare(acme, ref, SECOND, { conflicts: 'keep' });
  const late = { ...batch(ref, [], 2), mode: 'overwrite' as const, replaceSchema: back.schema };
  await t.rejects(send(late), { entry: { code: 'commit_conflict' } } as unknown as Error, 'the table grew meanwhile');
});

t.test('a table of exact columns has no others, and one that is replaced drops what is not wanted', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const ref = { namespace: `silver.${acme.scope}`, table: 'sums' };
  const exactly = (...columns: { name: string; type: string }[]) => ({ columns: { exactly: columns } });
  const namesOf = ({ schema }: { schema: object }) =>
    (schema as { fields: { name: string; type: string }[] }).fields.map(({ name, type }) => `${name} ${type}`);
  const [id, sum] = [
    { name: 'id', type: 'long' },
    { name: 'sum', type: 'decimal(38, 0)' },
  ];
  const first = await world.tables.prepare(acme, ref, {}, exactly(id, sum));
  t.strictSame(namesOf(first), ['id long', 'sum decimal(38, 0)']);
  const wider = exactly({ name: 'sum', type: 'double' }, { name: 'late', type: 'date' });
  const planned = await world.tables.prepare(acme, ref, {}, { ...wider, conflicts: 'replace' });
  t.match(planned, { replaces: true, keptColumns: [] });
  t.strictSame(namesOf(planned), ['sum double', 'late date']);
  t.strictSame(namesOf(await world.tables.prepare(acme, ref, {}, exactly(id, sum))), namesOf(first), 'until it is');
  t.match(await world.tables.prepare(acme, ref, {}, { ...exactly(id, sum), conflicts: 'replace' }), {
    replaces: false,
  });
  await t.rejects(world.tables.prepare(acme, ref, {}, wider), {
    entry: { code: 'schema_incompatible' },
  } as unknown as Error);
});

t.test('a table whose rows come from files → it gets the column of their file, under `freeze` too', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'orders', [{ id: 1 }], FIRST);
  const names = ({ schema }: { schema: object }) =>
    (schema as { fields: { name: string }[] }).fields.map(({ name }) => name).filter((name) => name.startsWith('_f'));
  const frozen = { policy: 'freeze', ofFiles: true } as const;
  t.strictSame(names(await world.tables.prepare(acme, ref, FIRST)), []);
  await t.rejects(world.tables.prepare(acme, ref, SECOND, frozen), { code: 'schema_frozen' });
  t.strictSame(names(await world.tables.prepare(acme, ref, FIRST, frozen)), ['_file']);
  t.strictSame(names(await world.tables.prepare(acme, ref, FIRST)), ['_file'], 'it stays');
  const other = world.tables.bronze(acme, 'others');
  await world.tables.prepare(acme, other, {}, { columns: { exactly: [{ name: '_file', type: 'long' }] } });
  const kept = { ofFiles: true, conflicts: 'keep' } as const;
  await t.rejects(world.tables.prepare(acme, other, FIRST, kept), { code: 'columns_refused' });
});
