import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import t from 'tap';
import { dataset, ident, idents, literal, sqlType, UnfitValue, word } from '../src/sql-text.ts';
import { sqlTemplate, TemplateInvalid } from '../src/template.ts';

const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();
t.teardown(() => {
  connection.closeSync();
  instance.closeSync();
});

/** Texts with what quotes, escapes and templates are made of. */
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', "'", '\\', ';', '-', '{', '}', '%', '\n', '$'),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  minLength: 1,
  maxLength: 40,
});
const asked = async (sql: string) => {
  const reader = await connection.runAndReadAll(sql);
  return { names: reader.columnNames(), rows: reader.getRows() };
};

t.test('any text → the same text as name and as literal', async (t) => {
  const template = sqlTemplate('select {{ value | literal }} as {{ name | ident }}', ['value', 'name']);
  await fc.assert(
    fc.asyncProperty(texts, texts, async (value, name) => {
      if (`${value}${name}`.includes('\0')) return;
      const { names, rows } = await asked(template.render({ value, name }));
      t.ok(names[0] === name && rows[0]?.[0] === value, 'as it was given');
    }),
    { seed: Number(process.env.WEIR_TEST_SEED ?? 42), numRuns: 150 },
  );
});

t.test('what is no name, literal, dataset, type or listed word → refused', async (t) => {
  for (const value of ['', 'x'.repeat(256), '\0', '\ud800', 7, null, undefined, {}, ['x']]) {
    t.throws(() => ident(value), UnfitValue);
  }
  for (const value of ['a\0b', '\udfff', Number.NaN, Number.POSITIVE_INFINITY, undefined, {}, [1], 1n]) {
    t.throws(() => literal(value), UnfitValue);
  }
  for (const value of ['bronze.acme', 'bronze.acme.x.y', 'bronze.acme."x', 'main.acme.x', 'bronze..x', null]) {
    t.throws(() => dataset(value), UnfitValue);
  }
  for (const value of ['varchar[]', 'decimal(39,0)', 'decimal(3,4)', 'bigint)', 'bigint\n', 'BIGINT', '']) {
    t.throws(() => sqlType(value), UnfitValue);
  }
  t.throws(() => word('desc', 'asc'), UnfitValue);
  t.throws(() => idents([]), UnfitValue);
  t.throws(() => idents('ab'), UnfitValue);
  t.throws(() => idents([{ column: 'a' }], 'constructor'), UnfitValue);
  t.equal(idents([{ column: 'a"b' }], 'column', 'base').text, '"base"."a""b"');
  t.equal(literal(-1.5).text, '(-1.5)');
  t.equal(dataset('bronze.acme.orders').text, '"bronze"."acme"."orders"');
});

t.test('a template prints only what a function made', async (t) => {
  const render = (text: string, values: Record<string, unknown>) =>
    sqlTemplate(text, Object.keys(values)).render(values);
  t.throws(() => render('select {{ x }}', { x: '1' }), UnfitValue);
  t.throws(() => render("select {{ 'x' }}", {}), UnfitValue);
  t.throws(() => render('{% for x in list %}{{ x }}{% endfor %}', { list: [1] }), UnfitValue);
  t.throws(() => render('{{ x | ident }}', { x: undefined }), UnfitValue);
  t.equal(render('{% if x %}{{ x | ident }}{% else %}none{% endif %}', { x: undefined }), 'none');
  t.equal(
    render('{% for x in l %}{{ x.a | ident }}{% unless forloop.last %}, {% endunless %}{% endfor %}', {
      l: [{ a: 'q' }, { a: 'r' }],
    }),
    '"q", "r"',
  );
  for (const text of [
    ...[
      '{{ x | raw }}',
      '{{ x | upcase }}',
      '{% assign y = x %}',
      '{% capture y %}{% endcapture %}',
      '{% raw %}{% endraw %}',
    ],
    ...[
      '{% include x %}',
      '{% render "x" %}',
      '{% layout "x" %}',
      '{% liquid echo x %}',
      '{% echo x %}',
      '{% cycle "a" %}',
    ],
    ...['{{ y | ident }}', '{% if x', '{{ x'],
  ]) {
    t.throws(() => sqlTemplate(text, ['x']), TemplateInvalid, text);
  }
});

t.test('a name of the template itself → the same one in every statement, unless a value has it', async (t) => {
  const render = (values: Record<string, unknown>) =>
    sqlTemplate('{{ "from" | fresh }} {% for x in list %}{{ "from" | fresh }}{% endfor %} {{ "to" | fresh }}', [
      'list',
      'other',
    ]).render({ list: [1], other: undefined, ...values });
  const plain = render({});
  const [from = '', again, to] = plain.split(' ');
  t.match(from, /^"__from_[0-9a-f]{6}"$/);
  t.ok(from === again && from !== to);
  t.equal(render({ other: 'something else' }), plain);
  const name = from.slice(1, -1);
  for (const other of [name, name.toUpperCase(), [{ deep: [name] }]]) {
    t.equal(render({ other }), `"${name}_2" "${name}_2" ${to}`);
  }
  t.equal(render({ other: [name, `${name}_2`] }), `"${name}_3" "${name}_3" ${to}`);
  for (const stem of ['', 'From', 'a b', 'x"', 7]) {
    t.throws(() => sqlTemplate('{{ stem | fresh }}', ['stem']).render({ stem }), UnfitValue);
  }
});
