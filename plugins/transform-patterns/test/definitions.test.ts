import { fileURLToPath } from 'node:url';
import { contribute, definePlugin } from '@weir/kernel';
import {
  changeTransform,
  createTransform,
  hydrateTransform,
  PatternMakers,
  previewTransform,
} from '@weir/plugin-transforms/contract';
import { loadPackage } from '@weir/transform-sdk';
import t from 'tap';
import { queryWorld, ROWS } from '../../transforms/test/query-kit.ts';
import { transformPackages } from '../src/service/catalog.ts';
import { patternMaker } from '../src/service/patterns.ts';

const INPUT = 'bronze.acme.orders';
const PLATFORM = fileURLToPath(new URL('../../../platform.json', import.meta.url));
const COLUMNS = fileURLToPath(new URL('../../../transforms/columns', import.meta.url));

/** A column of each type. */
const TYPED = [
  ...[
    ['string', 'name'],
    ['long', 'id'],
    ['double', 'd'],
    ['timestamp', 'ts'],
  ],
] as const;

/** Parameters of each pattern over a table with the columns id, name and _extracted_at. */
const OF_PATTERN: Readonly<Record<string, object>> = {
  'aggregate-over-joins': {
    joins: [{ dataset: INPUT, name: 'other', on: [{ left: 'id', right: 'id' }] }],
    group_by: [{ column: '_extracted_at', grain: 'day', as: 'day' }],
    measures: [{ function: 'count_distinct', column: 'name', of: 'other', as: 'names' }],
  },
  'clean-and-cast': { columns: [{ column: 'name', trim: true, case: 'upper', empty_to_null: true }] },
  'data-quality-gate': { rules: [{ column: 'name', rule: 'matches', value: 'name .*' }] },
  deduplicate: { key: ['id'], order_by: [{ column: '_extracted_at' }] },
  'incremental-merge': { key: ['id'], order_by: [{ column: '_extracted_at' }], columns: ['name'] },
  'slowly-changing-dimension-2': { key: ['id'], attributes: ['name'], observed_at: '_extracted_at' },
};

t.test('patterns on real tables', async (t) => {
  const log = { error: () => t.fail('a package is refused') };
  const sql = async () => ({ rows: [{ generation: '1' }] });
  const packages = transformPackages(PLATFORM, { sql, log } as never);
  const maker = patternMaker(packages);
  const { as } = await queryWorld(t, ({ spec }) =>
    definePlugin({
      ...spec,
      setup(kernel) {
        const registration = spec.setup(kernel);
        return {
          ...registration,
          contributes: [...(registration.contributes ?? []), contribute(PatternMakers, maker)],
        };
      },
    }),
  );
  const { call } = as('acme');
  const body = (pattern_id: string, parameters: object = {}) => ({
    ...{ name: pattern_id, output: `silver.acme.${pattern_id.replaceAll('-', '_')}` },
    ...{ pattern_id, parameters: { input: INPUT, ...OF_PATTERN[pattern_id], ...parameters } },
  });

  await t.test('each pattern makes a statement that passes the gate and fits its inputs', async (t) => {
    const { patterns } = await packages.current();
    t.strictSame([...patterns.keys()].sort(), Object.keys(OF_PATTERN));
    for (const pattern_id of patterns.keys()) {
      const made = await call(createTransform, { body: body(pattern_id) });
      t.match(made, { ok: true, body: { origin: { kind: 'transform_pattern', pattern_id, version: /^\d/ } } });
      if (!made.ok) continue;
      const { transform_id } = made.body;
      const hydrated = await call(hydrateTransform, { params: { transform_id } });
      t.match(hydrated, { ok: true, body: { artifact: { inputs: [INPUT] } } }, pattern_id);
    }
  });

  await t.test('each SQL transform makes an expression that passes the gate', async (t) => {
    const { sqlTransforms } = await loadPackage(COLUMNS);
    const values = {
      ...{ length: 2, find: 'n', by: 'm', pattern: '[a-z]+', value: 'x', format: '%Y', grain: 'day', type: 'varchar' },
      ...{ factor: 2, minimum: 0, maximum: 9 },
    };
    const expressions = sqlTransforms.map(({ document, reader, template }) => {
      const column = TYPED.find(([name]) => document.types.includes(name))?.[1] ?? '';
      const given = Object.fromEntries(Object.entries(values).filter(([name]) => reader.names.includes(name)));
      const read = reader.read(given);
      return `${template.render({ ...('values' in read ? read.values : {}), column })} as "${document.id}"`;
    });
    const typed = `select name, id, 1.5 as d, timestamp '2026-01-01' as ts from ${INPUT}`;
    const found = await call(previewTransform, { body: { sql: `select ${expressions.join(', ')} from (${typed})` } });
    t.ok(found.ok && found.body.rows.length === ROWS && expressions.length >= 20, JSON.stringify(found));
  });

  await t.test('the form can be opened again and changed; a statement by hand ends it', async (t) => {
    const made = await call(createTransform, {
      body: { ...body('deduplicate'), name: 'again', output: 'silver.acme.again' },
    });
    if (!made.ok) return t.fail(made.problem.code);
    const params = { transform_id: made.body.transform_id };
    const changed = await call(changeTransform, {
      params,
      body: { parameters: { ...made.body.origin?.parameters, key: ['name'] } },
    });
    t.match(changed, {
      body: { sql: /partition by "name"/, origin: { pattern_id: 'deduplicate', parameters: { key: ['name'] } } },
    });
    const tagged = await call(changeTransform, {
      params,
      body: { tags: ['x'], sql: changed.ok ? changed.body.sql : '' },
    });
    t.match(tagged, { body: { origin: { pattern_id: 'deduplicate' } } }, 'the same statement is no change');
    t.match(await call(changeTransform, { params, body: { sql: 'select 1 as one' } }), { body: { origin: null } });
    const orphaned = await call(changeTransform, { params, body: { parameters: {} } });
    t.match(orphaned, { problem: { code: 'statement_unclear' } });
  });

  await t.test(
    'a pattern with checks → checks of the transform, anew with its form; those of others stay',
    async (t) => {
      const form = (columns: string[], more: object = {}) => ({
        parameters: { input: INPUT, rules: columns.map((column) => ({ column, rule: 'not_null' })), ...more },
      });
      const own = { name: 'some', kind: 'row_count' as const, min: 1 };
      const made = await call(createTransform, {
        body: {
          ...{ name: 'gated', output: 'silver.acme.gated', pattern_id: 'data-quality-gate', checks: [own] },
          ...form(['id', 'name']),
        },
      });
      t.match(made, {
        body: {
          checks: [{ name: 'id_not_null', kind: 'sql', severity: 'warn' }, { name: 'name_not_null' }, own],
          origin: { checks: ['id_not_null', 'name_not_null'] },
        },
      });
      if (!made.ok) return;
      const params = { transform_id: made.body.transform_id };
      const changed = await call(changeTransform, { params, body: form(['name', 'name'], { severity: 'fail' }) });
      t.match(changed, {
        body: {
          checks: [{ name: 'name_not_null', severity: 'fail' }, { name: 'name_not_null_2' }, own],
          origin: { checks: ['name_not_null', 'name_not_null_2'] },
        },
      });
      t.equal(changed.ok && changed.body.checks.length, 3);
      t.match(await call(hydrateTransform, { params }), { ok: true });
    },
  );

  await t.test('a request that cannot be met → refused with its place', async (t) => {
    const ask = async (more: object) => {
      const answer = await call(createTransform, { body: { name: 'bad', output: 'silver.acme.bad', ...more } });
      const { code = 'made', errors = [] } = answer.ok ? {} : (answer.problem as { code: string; errors?: unknown });
      return `${code} ${(errors as { pointer: string }[]).map(({ pointer }) => pointer).join(' ')}`;
    };
    t.equal(await ask({}), 'statement_unclear /sql');
    t.equal(await ask({ sql: 'select 1', parameters: {} }), 'statement_unclear /parameters');
    t.equal(await ask({ ...body('deduplicate'), sql: 'select 1' }), 'statement_unclear /sql');
    t.equal(await ask({ ...body('deduplicate'), materialization: 'append' }), 'statement_unclear /materialization');
    t.equal(await ask({ ...body('deduplicate'), pattern_id: 'none' }), 'transform_pattern_unknown /pattern_id');
    t.equal(await ask(body('deduplicate', { key: 'id' })), 'pattern_parameters_invalid /parameters/key');
    t.equal(await ask(body('deduplicate', { input: 'x"; drop' })), 'pattern_parameters_invalid /parameters');
  });
});
