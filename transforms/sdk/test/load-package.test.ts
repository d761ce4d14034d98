import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { loadPackage } from '../src/load-package.ts';
import { applySqlTransform, makeDefinition } from '../src/make.ts';
import { standardSuite } from '../src/testing.ts';

const GOOD = fileURLToPath(new URL('../../deduplicate', import.meta.url));

/** A copy of a good package in which one file is changed. */
async function changed(
  t: { teardown(work: () => Promise<void>): void },
  file: string,
  change: (text: string) => string,
) {
  const root = await mkdtemp(join(tmpdir(), 'weir-package-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, 'mine');
  await cp(GOOD, folder, { recursive: true });
  const path = join(folder, file);
  await writeFile(path, change(await readFile(path, 'utf8').catch(() => '')));
  return folder;
}

t.test('what cannot be used → a fault with its place, and no pattern', async (t) => {
  const json = (change: (document: Record<string, unknown>) => unknown) => (text: string) =>
    JSON.stringify(change(JSON.parse(text)));
  const cases: [file: string, change: (text: string) => string, fault: object][] = [
    ['pattern.json', () => '{', { pointer: '/pattern.json', code: 'malformed_json' }],
    ['pattern.json', json((one) => ({ ...one, extra: 1 })), { pointer: '/pattern.json', code: 'additionalProperties' }],
    ['pattern.json', json((one) => ({ ...one, key: '/no' })), { pointer: '/pattern.json/key', code: 'unknown' }],
    [
      'pattern.json',
      json((one) => ({ ...one, parameters: { type: 'object', properties: {} } })),
      { pointer: '/pattern.json/parameters', code: 'not_a_schema' },
    ],
    ['template.sql', () => 'select {{ other | ident }}', { pointer: '/template.sql', code: 'template_invalid' }],
    ['template.sql', () => '{% include "/etc/passwd" %}', { pointer: '/template.sql', code: 'template_invalid' }],
    [
      'pattern.json',
      json((one) => ({ ...one, checks: [{ name: 'a', kind: 'unique', columns: '/no' }] })),
      { pointer: '/pattern.json/checks/0/columns', code: 'unknown' },
    ],
    [
      'pattern.json',
      json((one) => ({ ...one, checks: [{ name: 'a', kind: 'sql', sql: 'from {{ item | ident }}' }] })),
      { pointer: '/pattern.json/checks/0', code: 'template_invalid' },
    ],
    ['package.json', () => '{"version": "next"}', { pointer: '/package.json/version', code: 'pattern' }],
  ];
  for (const [file, change, fault] of cases) {
    const { faults, pattern } = await loadPackage(await changed(t, file, change));
    t.match(faults, [fault], `${file}: ${JSON.stringify(fault)}`);
    t.equal(pattern !== undefined && !file.startsWith('package'), false);
  }
});

t.test('checks of a pattern → made of parameters, each under a word of its own', async (t) => {
  const checks = [
    { name: '{{ key[0] | slug }}', kind: 'unique', columns: '/key', severity: 'warn' },
    {
      ...{ each: '/order_by', name: '{{ item.column | slug }}', kind: 'sql' },
      sql: 'from written where {{ item.column | ident }} is null',
    },
  ];
  const folder = await changed(t, 'pattern.json', (text) => JSON.stringify({ ...JSON.parse(text), checks }));
  const { pattern, faults } = await loadPackage(folder);
  t.strictSame(faults, []);
  const made = (key: string[]) =>
    makeDefinition(pattern!, { input: 'bronze.demo.x', key, order_by: [{ column: 'Ärger "x"' }, { column: 'id' }] });
  t.match(made(['id', 'day']), {
    made: {
      checks: [
        { name: 'id', kind: 'unique', columns: ['id', 'day'], severity: 'warn' },
        { name: 'rger_x', kind: 'sql', sql: 'from written where "Ärger ""x""" is null' },
        { name: 'id_2', sql: 'from written where "id" is null' },
      ],
    },
  });
  t.match(made(['a', 'b', 'c'].flatMap((one) => Array.from({ length: 7 }, (_, at) => `${one}${at}`))), {
    faults: [{ code: 'unfit_value', message: 'expected 1 to 20 names of columns' }],
  });
});

t.test('the standard suite finds wrong rows, rows by chance, and parameters without a page', async (t) => {
  const failing = async (file: string, change: (text: string) => string) => {
    const { laws, close } = await standardSuite(await changed(t, file, change));
    t.teardown(close);
    const failed: string[] = [];
    // One after the other: laws share a session.
    for (const { name, run } of laws) await run().catch(() => failed.push(name));
    return failed.join('\n');
  };
  t.match(await failing('template.sql', (text) => text.replace('= 1', '= 2')), 'the expected rows');
  t.match(await failing('template.sql', () => 'select * from {{ input | dataset }} limit 1'), 'run twice');
  const numbered = `select * exclude (__n) from (select *, row_number() over (
    partition by {{ key | idents }}
    order by {% for o in order_by %}{{ o.column | ident }} {% if o.direction == "asc" %}asc{% else %}desc{% endif %} nulls last, {% endfor %}hash(r)
  ) as __n from {{ input | dataset }} as r) where __n = 1`;
  const named = (text: string) => text.replaceAll('__n', '{{ "n" | fresh }}').replaceAll(/\br\b/g, '{{ "r" | fresh }}');
  t.match(
    await failing('template.sql', () => numbered),
    /^[^\n]*hostile names of columns[^\n]*\n[^\n]*hostile names of columns[^\n]*$/,
  );
  t.equal(await failing('template.sql', () => named(numbered)), '');
  const broken = (text: string) =>
    JSON.stringify({ ...JSON.parse(text), checks: [{ name: 'none', kind: 'sql', sql: 'from result' }] });
  t.match(await failing('pattern.json', broken), 'the expected checks');
  t.match(await failing('README.md', () => 'Keep one row of each key'), 'docs page');
});

t.test('a key without a value is no repeated one: the suite judges a check as a run does', async (t) => {
  const folder = await changed(t, 'pattern.json', (text) =>
    JSON.stringify({ ...JSON.parse(text), checks: [{ name: 'one', kind: 'unique', columns: '/key' }] }),
  );
  const rows = [
    ['a', 1, null],
    ['b', 2, null],
  ];
  const fixture = {
    name: 'keys without a value',
    parameters: { input: 'bronze.demo.x', key: ['at'], order_by: [{ column: 'id' }] },
    inputs: { 'bronze.demo.x': { columns: { shop: 'varchar', id: 'bigint', at: 'date' }, rows } },
    expect: { columns: ['shop', 'id', 'at'], rows },
  };
  await writeFile(join(folder, 'template.sql'), 'select * from {{ input | dataset }}');
  await writeFile(join(folder, 'fixtures', 'first.json'), JSON.stringify(fixture));
  const { laws, close } = await standardSuite(folder);
  t.teardown(close);
  await laws.find(({ name }) => name === 'keys without a value → the expected checks')?.run();
  await t.rejects(async () =>
    laws.find(({ name }) => name.endsWith('the expected rows') && !name.startsWith('keys'))?.run(),
  );
});

t.test('parameters that break the schema → faults with their places', async (t) => {
  const { pattern } = await loadPackage(GOOD);
  t.match(makeDefinition(pattern!, { input: 'bronze.demo.x', key: [] }), {
    faults: [
      { pointer: '/order_by', code: 'required' },
      { pointer: '/key', code: 'minItems' },
    ],
  });
  t.match(makeDefinition(pattern!, { input: 'x', key: ['id'], order_by: [{ column: 'at' }] }), {
    faults: [{ pointer: '', code: 'unfit_value', message: 'expected a dataset id, <layer>.<scope>.<table>' }],
  });
  t.match(makeDefinition(pattern!, { input: 'bronze.demo.x', key: ['id'], order_by: [{ column: 'at' }] }), {
    made: { materialization: 'full' },
  });
});

t.test('a SQL transform replaces columns, or adds some', async (t) => {
  const folder = fileURLToPath(new URL('../../columns', import.meta.url));
  const { sqlTransforms, faults } = await loadPackage(folder);
  t.strictSame(faults, []);
  const trim = sqlTransforms.find(({ document }) => document.id === 'trim')!;
  const input = 'bronze.demo.x';
  t.match(applySqlTransform(trim, { input, columns: ['a', 'b"'] }, {}), {
    made: { sql: 'select * replace (\n  trim("a") as "a",\n  trim("b""") as "b"""\n)\nfrom "bronze"."demo"."x"' },
  });
  t.match(applySqlTransform(trim, { input, columns: ['a'], suffix: '_clean' }, {}), {
    made: { sql: 'select *,\n  trim("a") as "a_clean"\nfrom "bronze"."demo"."x"' },
  });
  t.match(applySqlTransform(trim, { input, columns: [''] }, {}), { faults: [{ code: 'unfit_value' }] });
});
