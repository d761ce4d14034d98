import t from 'tap';
import { planText } from '../src/commands/apply/plan-text.ts';

type Planned = Parameters<typeof planText>[0]['results'][number];

const text = (changes: Planned['changes'], action: Planned['action'] = 'patch') => {
  const one: Planned = { index: 0, kind: 'Transform', name: 'daily', action, changes, calls: [] };
  const summary = { create: 0, patch: 0, noop: 0, 'would-409': 0, error: 0, [action]: 1 };
  const place = { value: {}, placeOf: () => 'daily.yaml:1:1' };
  return planText({ fingerprint: 'A', summary, results: [one] }, [place])
    .split('\n')
    .slice(1, -2);
};
const replaced = (before: unknown, after: unknown) => text([{ pointer: '/sql', change: 'replace', before, after }]);

t.test('a text of several lines → the lines that differ, with one around them', async (t) => {
  t.strictSame(replaced('select\n  a,\n  Größe\nfrom x\n', 'select\n  a,\n  b,\n  Größe\nfrom x\n'), [
    '    sql:',
    '          a,',
    '      +   b,',
    '          Größe',
  ]);
  t.strictSame(replaced('a\na', 'a'), ['    sql:', '        a', '      - a']);
  t.strictSame(replaced('a', 'b\nc'), ['    sql:', '      - a', '      + b', '      + c']);
  const many = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n');
  t.match(replaced('x\ny', many).at(-1), /… \d+ lines more/);
});

t.test('a long text in one line → shown where it differs', async (t) => {
  const long = `select ${'x'.repeat(200)}, `;
  const [was = '', is = ''] = replaced(`${long}a from t`, `${long}b from t`);
  t.match(was, /sql: - …x+, a from t$/);
  t.match(is, /sql: \+ …x+, b from t$/);
  t.match(text([{ pointer: '/sql', change: 'add', after: long }])[0], /x…$/);
});

t.test('a new resource → only what it has', async (t) => {
  const add = (name: string, after: unknown) => ({ pointer: `/${name}`, change: 'add' as const, after });
  const changes = [add('key', []), add('incremental', null), add('schedule', { cron: ['x'], offset: null })];
  t.strictSame(text(changes, 'create'), ['    schedule: + {"cron":["x"]}']);
  t.equal(text([{ pointer: '/tags', change: 'replace', before: ['a'], after: null }]).at(-1), '    tags: + null');
});
