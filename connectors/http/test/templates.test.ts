import fc from 'fast-check';
import t from 'tap';
import { literalOf } from '../src/template/literal.ts';
import { compileTemplate } from '../src/template/template.ts';
import { type Dictionary, reprOf, type Value } from '../src/template/value.ts';

const scope = {
  config: { n: 5, list: [], text: "It's", at: '2024-01-31T10:00:00Z', deep: { a: [1, null] } },
  response: { next: null },
};
const value = (source: string): Value => compileTemplate(source, Object.keys(scope)).value(scope as Dictionary);

t.test('expressions give what Jinja gives', async (t) => {
  const table: Record<string, unknown> = {
    'plain text': 'plain text',
    '{{ config.n + 1 }}': 6,
    "a{{ config['n'] }}b": 'a5b',
    "{{ 'x' ~ config.n }}": 'x5',
    '{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }}': '3 -4 1 2',
    '{{ 2 ** 3 ** 2 }}': 512,
    "{{ config.list or 'none' }}": 'none',
    "{{ 'a' if config.n > 3 and not config.list else 'b' }}": 'a',
    '{{ 1 < config.n <= 5 }}': true,
    "{{ 'n' in config and 'm' not in config }}": true,
    '{{ config.deep }}': { a: [1, null] },
    '{{ config.deep.a[0] }}': 1,
    '{{ config.deep.a[1] }}': null,
    'x{{ config.deep.a | last }}{{ [] | first }}': 'xNone',
    '{{ config.at[:4] }}': 2024,
    "{{ config.at.split('T')[0] }}": '2024-01-31',
    "{{ config.get('no', 'fallback') }}": 'fallback',
    "{{ config.no | default('d') }}": 'd',
    '{{ config.no.further }}': '',
    "{{ config.text | upper | replace('S', 'Z') }}": "IT'Z",
    "{{ [1, 2, 3] | join('-') }}": '1-2-3',
    "{{ [{'a': 1}, {'a': 2}] | map(attribute='a') | list }}": [1, 2],
    '{{ response.next is none }} {{ response.other is defined }}': 'True False',
    "{{ '%05d' % 42 }}": '00042',
    "{{ '12' | int + 1 }}": 13,
    "{{ 'id' | hash('sha256') | length }}": 64,
    "{{ 'a b&c' | urlencode }}": 'a%20b%26c',
    "{{ 'ab' | base64encode | base64decode }}": 'ab',
    "{{ 'v=12;' | regex_search('v=(\\d+)') }}": 12,
    "{{ format_datetime(config.at, '%d.%m.%y %H:%M') }}": '31.01.24 10:00',
    "{{ format_datetime('31/12/2023', '%s', '%d/%m/%Y') }}": 1703980800,
    "{{ (str_to_datetime(config.at) - duration('P1M')).strftime('%F') }}": '2023-12-31',
    "{{ timestamp('2024-01-01') | int }}": 1704067200,
    '{{ max(1, config.n, 3) }} {{ min([4, 2]) }}': '5 2',
    "{{ camel_case_to_snake_case('camelCase') }}": 'camel_case',
    '{% if config.n == 5 %}five{% elif config.n %}some{% else %}none{% endif %}': 'five',
    '{% for i in config.deep.a %}<{{ i }}>{% endfor %}': '<1><None>',
    '{% set x = config.n %}{{ x * 2 }}': 10,
    '{# nothing #}a {{- 1 -}} b': 'a1b',
  };
  for (const [source, wanted] of Object.entries(table)) t.strictSame(value(source), wanted, source);
  t.equal(JSON.stringify(value('{{ 9007199254740993 + 1 }}')), '9007199254740994');
  t.equal(JSON.stringify(value('{{ 10 / 4 }} {{ 10 / 5 }}')), '"2.5 2.0"');
});

t.test('what is no expression, or names what is not there, is told with its place when it is read', async (t) => {
  for (const source of [
    '{{ config',
    '{{ }}',
    '{{ 1 + }}',
    "{% include 'x' %}",
    '{% import x %}',
    '{% block a %}{% endblock %}',
    '{{ process }}',
    '{{ self }}',
    '{{ range(9) }}',
    '{{ eval("1") }}',
    '{{ config | attr("x") }}',
    '{{ config is callable }}',
    '{% if 1 %}',
    '{{ lipsum }}',
    `{{ ${'('.repeat(90)}1${')'.repeat(90)} }}`,
  ])
    t.throws(() => value(source), { name: 'TemplateError' }, source);
});

t.test('work and text of an expression are bounded', async (t) => {
  for (const source of [
    "{{ 'x' * 9999999999 }}",
    '{{ 9 ** 999999 }}',
    '{{ 1 / 0 }}',
    "{{ ('x' * 4000000) ~ ('y' * 4000000) }}",
  ])
    t.throws(() => value(source), { name: 'RenderError' }, source);
  const loops = '{% for a in x %}{% for b in x %}{% for c in x %}{{ c }}{% endfor %}{% endfor %}{% endfor %}';
  const many = compileTemplate(loops, ['x']);
  t.throws(() => many.value({ x: Array.from({ length: 90 }, (_, index) => index) }), { name: 'RenderError' });
});

t.test('no expression reads anything but own members of what it is given', async (t) => {
  const secret = 'only-outside';
  Object.defineProperty(Object.prototype, 'planted', { value: secret, configurable: true });
  t.teardown(() => delete (Object.prototype as { planted?: string }).planted);
  const names = [
    'constructor',
    '__proto__',
    'prototype',
    'planted',
    'toString',
    'valueOf',
    'call',
    'apply',
    'bind',
    'env',
    'mainModule',
    '__class__',
    'length',
    'at',
  ];
  const root = fc.constantFrom('config', 'response', "''", '[]', '{}', '1', 'now_utc()', 'config.deep', 'config.text');
  const step = fc.oneof(
    fc.constantFrom(...names).map((name) => `.${name}`),
    fc.constantFrom(...names).map((name) => `['${name}']`),
    fc.constantFrom(...names).map((name) => `.${name}()`),
    fc.constantFrom(...names).map((name) => `.get('${name}')`),
  );
  fc.assert(
    fc.property(root, fc.array(step, { minLength: 1, maxLength: 4 }), (start, steps) => {
      let text: string;
      try {
        text = JSON.stringify(value(`{{ ${start}${steps.join('')} }}`));
      } catch (error) {
        return ['RenderError', 'TemplateError'].includes((error as Error).name);
      }
      return !text.includes(secret) && !text.includes('function') && !text.includes('native');
    }),
    { numRuns: 1000 },
  );
});

t.test('what Python writes of a value is read back as that value', async () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const list = fc.array(fc.oneof(leaf, fc.array(leaf, { maxLength: 3 })), { maxLength: 4 });
  const names = fc.string().filter((name) => name !== '__proto__');
  fc.assert(
    fc.property(fc.oneof(leaf, list, fc.dictionary(names, fc.oneof(leaf, list), { maxKeys: 4 })), (given) => {
      const plain = JSON.parse(JSON.stringify(given)) as Value;
      return JSON.stringify(literalOf(reprOf(plain))) === JSON.stringify(plain);
    }),
    { numRuns: 1000 },
  );
});
