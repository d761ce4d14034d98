import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { provide } from '@weir/kernel';
import { type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import {
  Definitions,
  type DefinitionsService,
  type NewTransform,
  transformProblems,
} from '@weir/plugin-transforms/contract';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import plugin from '../src/plugin.ts';

const PACKAGES = fileURLToPath(new URL('../../../transforms', import.meta.url));
const PARAMETERS = { input: 'bronze.acme.orders', key: ['id'], order_by: [{ column: 'at' }] };

/** The plugin over packages of a folder of its own; `made` are the transforms that it asked for. */
async function setUp(t: Teardown) {
  const folder = await mkdtemp(join(tmpdir(), 'weir-patterns-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'packages'));
  for (const name of ['deduplicate', 'columns'])
    await cp(join(PACKAGES, name), join(folder, 'packages', name), { recursive: true });
  const file = join(folder, 'platform.json');
  await writeFile(file, JSON.stringify({ plugins: ['x'], migrations: 'x', transforms: ['packages'] }));
  const made: NewTransform[] = [];
  const definitions = {
    create: async (_tenant, _by, transform) => {
      made.push(transform);
      throw transformProblems.outputTaken();
    },
    validate: async (_tenant, { sql }) => {
      const faults = sql.includes('missing') ? [{ code: 'column_unknown', pointer: '/sql', line: 1, column: 8 }] : [];
      return { valid: faults.length === 0, faults, inputs: [], columns: [], lineage: [], findings: [], estimate: null };
    },
    preview: async () => ({ columns: [], rows: [], truncated: false, inputs: [], elapsed_ms: 1 }),
  } as Pick<DefinitionsService, 'create' | 'validate' | 'preview'> as DefinitionsService;
  const services = () => [provide(Definitions, definitions)];
  const under = await testPlugin(t, plugin, { tools, services, settings: { WEIR_PLATFORM: file } });
  await under.tenant('acme');
  const { call } = under.as('acme');
  return { ...under, call, folder: join(folder, 'packages'), made };
}

t.test('the gallery: pages, categories, one pattern with its schema, template and page', async (t) => {
  const { call } = await setUp(t);
  t.match(await call(endpoints.listTransformPatterns, { query: {} }), {
    ok: true,
    body: {
      items: [{ pattern_id: 'deduplicate', version: '1.0.1', category: 'clean', layer: 'silver' }],
      faults: [],
      total: 1,
    },
  });
  t.match(await call(endpoints.listTransformPatterns, { query: { category: 'history' } }), { body: { items: [] } });
  t.match(await call(endpoints.listTransformPatternCategories), { body: { items: [{ category: 'clean', count: 1 }] } });
  t.match(await call(endpoints.getTransformPattern, { params: { pattern_id: 'deduplicate' } }), {
    body: { parameters: { required: ['input', 'key', 'order_by'] }, template: /qualify/, docs: /^# Keep one row/ },
  });
  t.match(await call(endpoints.getTransformPattern, { params: { pattern_id: 'none' } }), { problem: { status: 404 } });

  const first = await call(endpoints.listSqlTransforms, { query: { limit: 7 } });
  t.ok(first.ok && first.body.items.length === 7);
  const page_token = first.ok ? (first.body.next_page_token ?? '') : '';
  const rest = await call(endpoints.listSqlTransforms, { query: { limit: 500, page_token } });
  const ids = [first, rest].flatMap((page) => (page.ok ? page.body.items : []).map(({ transform_id }) => transform_id));
  t.strictSame(ids, ids.toSorted(), 'in order');
  t.equal(new Set(ids).size, first.ok ? first.body.total : 0, 'each once');
  const back = await call(endpoints.listSqlTransforms, { query: { order: '-transform_id', limit: 1 } });
  t.match(back, { body: { items: [{ transform_id: ids.at(-1) }] } });
});

t.test('types in words of SQL and of the table format → the same SQL transforms', async (t) => {
  const { call } = await setUp(t);
  const ofType = async (sql_type: string) => {
    const answer = await call(endpoints.listSqlTransformsForType, { params: { sql_type }, query: { limit: 500 } });
    return answer.ok ? answer.body.items.map(({ transform_id }) => transform_id) : answer.problem.code;
  };
  t.strictSame(await ofType('VARCHAR'), await ofType('string'));
  t.strictSame(await ofType('decimal(18, 2)'), await ofType('numeric'));
  t.ok((await ofType('timestamp with time zone')).includes('date-trunc'));
  t.notOk((await ofType('bigint')).includes('trim'));
  t.match(await call(endpoints.listSqlTransformsForType, { params: { sql_type: 'geometry' } }), {
    problem: { code: 'validation_failed', errors: [{ pointer: '/params/sql_type', code: 'enum', known: ['boolean'] }] },
  });
  t.match(await call(endpoints.listSqlTransformCategories), {
    body: { items: [{ category: 'null' }, { category: 'number' }] },
  });
});

t.test('validate: faults of parameters, of the statement, or what the statement is', async (t) => {
  const { call } = await setUp(t);
  const params = { pattern_id: 'deduplicate' };
  const validate = (parameters: object) =>
    call(endpoints.validateTransformPattern, { params, body: { parameters } as never });
  t.match(await validate(PARAMETERS), {
    body: {
      ...{ valid: true, faults: [] },
      definition: { sql: /from "bronze"."acme"."orders"/, materialization: 'full', key: [], incremental: null },
    },
  });
  t.match(await validate({ ...PARAMETERS, key: [] }), {
    body: {
      valid: false,
      definition: null,
      faults: [{ pointer: '/parameters/key', code: 'minItems', message: /fewer/ }],
    },
  });
  t.match(await validate({ ...PARAMETERS, key: ['missing'] }), {
    body: {
      valid: false,
      definition: { sql: /"missing"/ },
      faults: [{ pointer: '/sql', code: 'column_unknown', line: 1 }],
    },
  });
  t.match(await call(endpoints.previewTransformPattern, { params, body: { parameters: PARAMETERS } }), {
    body: { sql: /qualify/, rows: [], materialization: 'full' },
  });
  t.match(await call(endpoints.previewTransformPattern, { params, body: { parameters: {} } }), {
    problem: {
      status: 422,
      code: 'pattern_parameters_invalid',
      errors: [{ pointer: '/parameters/input', code: 'required' }],
    },
  });
});

t.test('apply makes a transform that remembers what it was made from', async (t) => {
  const { call, made } = await setUp(t);
  const body = { name: 'clean', output: 'silver.acme.clean', input: 'bronze.acme.people', columns: ['mail'] };
  const params = { transform_id: 'trim' };
  t.match(await call(endpoints.applySqlTransform, { params, body }), { problem: { code: 'output_taken' } });
  t.match(made, [
    {
      ...{
        name: 'clean',
        output: 'silver.acme.clean',
        materialization: 'full',
        sql: /replace \(\s+trim\("mail"\) as "mail"/,
      },
      origin: { kind: 'sql_transform', pattern_id: 'trim', version: '1.0.0', parameters: { columns: ['mail'] } },
    },
  ]);
  const cast = { params: { transform_id: 'cast' }, body: { ...body, parameters: { type: 'bigint); drop' } } };
  t.match(await call(endpoints.applySqlTransform, cast), { problem: { code: 'pattern_parameters_invalid' } });
  t.equal(made.length, 1);
});

t.test('sync: what is new, changed or gone; a bad package is named, and the good ones stay', async (t) => {
  const { call, as, folder } = await setUp(t);
  const operator = as('acme', 'platform_admin');
  t.match(await call(endpoints.syncTransformPatterns), { problem: { status: 403 } }, 'for the operator alone');
  await cp(join(PACKAGES, 'data-quality-gate'), join(folder, 'gate'), { recursive: true });
  await cp(join(PACKAGES, 'clean-and-cast'), join(folder, 'broken'), { recursive: true });
  await writeFile(join(folder, 'broken', 'template.sql'), 'select {{ secret | ident }}');
  const manifest = join(folder, 'deduplicate', 'package.json');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('1.0.1', '1.0.2'));
  const before = await call(endpoints.listTransformPatterns, { query: {} });
  t.match(before, { body: { items: [{ version: '1.0.1' }], total: 1 } }, 'files are read when somebody says so');
  const synced = await operator.call(endpoints.syncTransformPatterns);
  const faults = [{ package: 'broken', pointer: '/template.sql', code: 'template_invalid' }];
  t.match(synced, { body: { faults } });
  const outcomes = synced.ok ? synced.body.items.filter(({ kind }) => kind === 'transform_pattern') : [];
  t.strictSame(
    outcomes.map(({ pattern_id, outcome }) => `${pattern_id} ${outcome}`),
    ['data-quality-gate created', 'deduplicate updated'],
  );
  t.match(await call(endpoints.listTransformPatterns, { query: {} }), { body: { total: 2, faults } });
  await rm(join(folder, 'gate'), { recursive: true });
  const again = await operator.call(endpoints.syncSqlTransforms);
  t.match(again.ok && again.body.items.find(({ pattern_id }) => pattern_id === 'data-quality-gate'), {
    outcome: 'removed',
  });
});
