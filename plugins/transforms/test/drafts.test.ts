import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { ORDERS, refused, setUp, soundSelects, TYPO as WORD } from './kit.ts';

const SQL = `select id, total from ${ORDERS}`;
const TYPO = `select id, ${WORD} from ${ORDERS}`;

/** A transform that is in force, with what is done to it. */
async function draftWorld(t: Parameters<typeof setUp>[0], selects = soundSelects) {
  const world = await setUp(t, {}, selects);
  const { call, create } = world;
  const params = { transform_id: (await create('sums', { sql: SQL })).transform_id };
  const hydrate = (headers?: Record<string, string>) => call(endpoints.hydrateTransform, { params }, headers);
  const patch = (body: object, headers?: Record<string, string>) =>
    call(endpoints.changeTransform, { params, body }, headers);
  const shown = async () => {
    const answer = await call(endpoints.getTransform, { params });
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.body;
  };
  const versions = async (query: object = {}) => {
    const answer = await call(endpoints.listTransformVersions, { params, query });
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.body.items;
  };
  const version = (number: number) => call(endpoints.getTransformVersion, { params: { ...params, version: number } });
  const restore = (number: number, headers?: Record<string, string>) =>
    call(endpoints.restoreTransformVersion, { params: { ...params, version: number } }, headers);
  const discard = (headers?: Record<string, string>) => call(endpoints.discardTransformDraft, { params }, headers);
  /** Starts a run, ends it, and says what it carried out. */
  const ran = async () => {
    const started = await call(endpoints.materializeTransform, { params, query: { queue: true } });
    if (!started.ok) return started.problem.code;
    const run = await call(endpoints.getTransformRun, { params: { run_id: started.body.run_id } });
    await world.end(started.body.run_id);
    return run.ok ? run.body.artifact_id : run.problem.code;
  };
  return { ...world, params, hydrate, patch, shown, versions, version, restore, discard, ran };
}

t.test(
  'a typo that is saved → a draft beside the definition in force, which runs until a sound one replaces it',
  async (t) => {
    const { hydrate, patch, shown, versions, ran, call, params, hints } = await draftWorld(t);
    t.match(await shown(), { version: null, artifact_id: null, sql: SQL, draft: { sql: SQL, etag: '1' } });
    const first = await hydrate();
    t.match(first, { ok: true, body: { version: 1, draft: null, sql: SQL, artifact_id: /^[0-9a-f]{64}$/ } });
    const inForce = first.ok ? first.body.artifact_id : '';
    t.match(await patch({ sql: TYPO, description: 'Sums' }), {
      body: {
        ...{ version: 1, sql: SQL, artifact_id: inForce, description: 'Sums', etag: '3' },
        draft: { sql: TYPO, output: 'gold.acme.sums', changes: ['statement'], etag: '3', updated_by: 'admin@acme' },
      },
    });
    const before = await shown();
    const told = hints.length;
    t.match(await hydrate(), {
      ...refused(422, 'sql_refused'),
      problem: { faults: [{ code: 'column_unknown', line: 1 }] },
    });
    t.strictSame(await shown(), before, 'neither the definition in force nor the draft moved');
    t.equal(hints.length, told);
    t.match(await call(endpoints.getTransformDetail, { params }), {
      body: { can_run_now: true, artifact: { sql: SQL } },
    });
    t.equal(await ran(), inForce);
    t.match(await patch({ sql: `${SQL} where id > 1` }), { body: { draft: { changes: ['statement'] } } });
    t.match(await hydrate(), { body: { version: 2, draft: null, sql: `${SQL} where id > 1` } });
    t.not(await ran(), inForce);
    t.match(await versions(), [
      { version: 2, in_force: true, changes: ['statement'], created_by: 'admin@acme', restored_from: null },
      { version: 1, in_force: false, changes: [], artifact_id: inForce },
    ]);
  },
);

t.test('a draft is added to, and goes: put back by hand, discarded, or put in force', async (t) => {
  const { hydrate, patch, shown, discard } = await draftWorld(t);
  const alone = { ...refused(409, 'transform_not_in_force') };
  t.match(await discard(), alone, 'the draft is all that there is');
  await hydrate();
  t.match(await discard(), refused(404, 'draft_not_found'));
  const checks = [{ name: 'few', kind: 'row_count' as const, max: 9 }];
  await patch({ checks });
  t.match(await patch({ output: 'silver.acme.sums', materialization: 'merge', key: ['id'] }), {
    body: {
      ...{ checks: [], output: 'gold.acme.sums', key: [] },
      draft: {
        ...{ checks, output: 'silver.acme.sums', key: ['id'], etag: '4' },
        changes: [
          ...['output gold.acme.sums → silver.acme.sums', 'materialization full → merge', 'key none → id'],
          'check few added',
        ],
      },
    },
  });
  t.match(await patch({ tags: ['x'] }), { body: { tags: ['x'], etag: '5', draft: { etag: '4' } } });
  t.match(await patch({ materialization: 'full', key: null, checks: null, output: 'gold.acme.sums' }), {
    body: { draft: null },
  });
  await patch({ sql: TYPO });
  t.match(await patch({ name: 'renamed' }), { body: { name: 'renamed', draft: { sql: TYPO, etag: '7' } } });
  t.match(await discard({ 'if-match': '"6"' }), refused(412, 'precondition_failed'));
  t.match(await hydrate({ 'if-match': '"6"' }), refused(412, 'precondition_failed'));
  t.match(await discard({ 'if-match': '"7"' }), { status: 204 });
  t.match(await shown(), { draft: null, version: 1, sql: SQL });
  await patch({ checks });
  const { draft } = await shown();
  t.match(await hydrate({ 'if-match': `"${draft?.etag}"` }), { body: { version: 2, checks, draft: null } });
  t.match(await hydrate(), { body: { version: 2 } }, 'the same once more is no version');
});

t.test('the output of a draft is held for it, and moves when it is put in force', async (t) => {
  const { hydrate, patch, discard, create, call, params } = await draftWorld(t);
  await hydrate();
  const other = async (output: string) => {
    const answer = await call(endpoints.createTransform, { body: { name: 'other', sql: SQL, output } });
    return answer.ok ? 'made' : answer.problem.code;
  };
  await create('third');
  t.match(await patch({ output: 'gold.acme.third' }), refused(409, 'output_taken'));
  t.match(await patch({ output: 'gold.acme.moved' }), { ok: true });
  t.equal(await other('gold.acme.moved'), 'output_taken');
  t.equal(await other('gold.acme.sums'), 'output_taken');
  await discard();
  t.equal(await other('gold.acme.moved'), 'made');
  await patch({ output: 'gold.acme.elsewhere' });
  t.match(await hydrate(), { body: { version: 2, output: 'gold.acme.elsewhere' } });
  t.match(await call(endpoints.deleteTransform, { params }), { status: 204 });
});

t.test('an earlier version → read whole, and put in force again as the next one; a draft stays', async (t) => {
  const { hydrate, patch, shown, versions, version, restore, ran, call, params } = await draftWorld(t);
  const first = await hydrate();
  const artifact_id = first.ok ? first.body.artifact_id : '';
  await patch({ sql: `${SQL} limit 1`, materialization: 'append' });
  await hydrate();
  t.match(await version(1), { body: { sql: SQL, materialization: 'full', in_force: false, artifact_id, checks: [] } });
  t.match(await version(3), refused(404, 'not_found'));
  await patch({ sql: TYPO });
  const { etag, draft } = await shown();
  t.match(await restore(1, { 'if-match': '"1"' }), refused(412, 'precondition_failed'));
  t.match(await restore(1, { 'if-match': `"${etag}"` }), {
    body: { version: 3, sql: SQL, artifact_id, artifact: { sql: SQL }, draft: { sql: TYPO, etag: draft?.etag } },
  });
  t.equal(await ran(), artifact_id);
  t.match(await versions({ limit: 1 }), [
    { version: 3, restored_from: 1, changes: ['statement', 'materialization append → full'], artifact_id },
  ]);
  t.match(await restore(9), refused(404, 'not_found'));
  await patch({ sql: SQL, materialization: 'full' });
  t.match(await shown(), { draft: null }, 'it says what is in force');
  t.match(await call(endpoints.deleteTransform, { params }), { status: 204 });
  t.match(await version(1), refused(404, 'not_found'));
  t.match(await call(endpoints.listArtifacts), { body: { items: [] } });
});

t.test('inputs that no longer fit a version → restore is refused and changes nothing', async (t) => {
  const { hydrate, patch, shown, restore, versions, kernel, acme } = await draftWorld(t);
  await hydrate();
  await patch({ sql: `${SQL} limit 1` });
  await hydrate();
  const faulty = JSON.stringify({ ...(await definition(shown)), sql: TYPO });
  await kernel.db(acme).transaction((tx) =>
    tx.sql(
      `insert into transforms.transform_version (tenant_id, transform_id, version, artifact_id, definition, created_by)
       select tenant_id, transform_id, 7, artifact_id, $2::json, 'ada' from transforms.transform where tenant_id = $1`,
      [acme.tenantId, faulty],
    ),
  );
  const before = await shown();
  t.match(await restore(7), refused(422, 'sql_refused'));
  t.strictSame(await shown(), before);
  t.equal((await versions()).length, 3);
  await t.rejects(
    kernel.db(acme).transaction((tx) => tx.sql('update transforms.transform_version set version = 8', [])),
    'a version never changes',
  );
});

/** The definition of what is shown. */
async function definition(shown: () => Promise<object>) {
  const { sql, output, materialization, key, partition_by, incremental, checks, origin } = (await shown()) as Record<
    string,
    unknown
  >;
  return { sql, output, materialization, key, partition_by, incremental, checks, origin };
}

t.test('two who hydrate at once → one version; a failure at the end of it → nothing half-written', async (t) => {
  const [met, meet] = [Promise.withResolvers<void>(), { asked: Number.NaN }];
  const { hydrate, patch, shown, versions, call, failNextHint } = await draftWorld(t, {
    ...soundSelects,
    async describe(asked) {
      meet.asked += 1;
      if (meet.asked === 2) met.resolve();
      if (meet.asked <= 2) await met.promise;
      return soundSelects.describe(asked);
    },
  });
  await hydrate();
  await patch({ sql: `${SQL} limit 2` });
  const before = await shown();
  failNextHint();
  t.match(await hydrate(), { ok: false, problem: { status: 500 } });
  t.strictSame(await shown(), before);
  t.equal((await versions()).length, 1);
  t.match(await call(endpoints.listArtifacts), { body: { items: { length: 1 } } });
  meet.asked = 0;
  const answers = await Promise.all([hydrate(), hydrate()]);
  t.strictSame(answers.map((one) => (one.ok ? 'put' : one.problem.code)).toSorted(), ['conflict', 'put']);
  t.match(await shown(), { version: 2, draft: null });
  t.equal((await versions()).length, 2);
});

t.test('a viewer and another tenant → nothing of drafts and versions but what they may read', async (t) => {
  const { as, tenant, hydrate, params } = await draftWorld(t);
  await hydrate();
  await tenant('other');
  const one = { params: { ...params, version: 1 } };
  const ask = async ({ call }: ReturnType<typeof as>) => [
    (await call(endpoints.listTransformVersions, { params })).status,
    (await call(endpoints.getTransformVersion, one)).status,
    (await call(endpoints.restoreTransformVersion, one)).status,
    (await call(endpoints.discardTransformDraft, { params })).status,
  ];
  t.strictSame(await ask(as('acme', 'viewer')), [200, 200, 403, 403]);
  t.strictSame(await ask(as('other')), [404, 404, 404, 404]);
});
