import { join } from 'node:path';
import t from 'tap';
import { type LineSource, lineSource, platformOfLines } from '../crash/line-source.ts';
import { readRows } from '../crash/read-rows.ts';

const HANG_LIMIT_MS = 600_000;
t.setTimeout(HANG_LIMIT_MS);

const SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    l: { type: 'integer' },
    d: { type: 'number' },
    s: { type: 'string' },
    at: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    Name: { type: 'string' },
  },
};
const FIELDS = ['id', 'l', 'd', 's', 'at', 'day', 'Name', '_errors', '_extra'];
const nulled = (field: string, type: string) => [{ field, change: 'nulled', reason: `invalid_${type}` }];

/** What a line becomes: a row with these values and null elsewhere, or a line in quarantine for this reason. */
type Fate = Record<string, unknown> | string;

/** Each line has its number as id, where it can have one; bytes above 0x7f stand for themselves. */
const LINES: readonly (readonly [what: string, line: string, fate: Fate])[] = [
  [
    'a good row',
    '{"id":0,"l":1,"d":1.5,"s":"good","at":"2024-01-02T03:04:05Z","day":"2024-01-02"}',
    { l: 1, d: 1.5, s: 'good', at: 1_704_164_645_000_000, day: 19_724 },
  ],
  ['NaN', '{"id":1,"d":NaN}', { d: 'nan' }],
  ['an infinity', '{"id":2,"d":-Infinity}', { d: '-inf' }],
  ['an integer of 30 digits', '{"id":3,"l":123456789012345678901234567890}', { _errors: nulled('l', 'long') }],
  ['one beyond 64 bits', '{"id":4,"l":9223372036854775808}', { _errors: nulled('l', 'long') }],
  ['a number beyond doubles', '{"id":5,"d":1e400}', { _errors: nulled('d', 'double') }],
  ['a lone surrogate', '{"id":6,"s":"\\ud800"}', 'lone_surrogate'],
  ['a key twice', '{"id":7,"s":"a","s":"b"}', 'duplicate_key'],
  ['a key that differs from a column in case', '{"id":8,"Name":"A","name":"b"}', { Name: 'A', _extra: '{"name":"b"}' }],
  ['the same without the column', '{"id":9,"NAME":"c"}', { _extra: '{"NAME":"c"}' }],
  ['a number where a string was', '{"id":10,"s":5}', { s: '5' }],
  ['an object where a string was', '{"id":11,"s":{"a":1}}', { s: '{"a":1}' }],
  ['a string where a number was', '{"id":12,"l":"twelve"}', { _errors: nulled('l', 'long') }],
  [
    'the year 20240',
    '{"id":13,"day":"20240-01-01","at":"20240-01-01T00:00:00Z"}',
    { day: 6_672_980, at: 576_545_472e9 },
  ],
  ['a decimal as a number', '{"id":14,"d":0.1}', { d: 0.1 }],
  ['a decimal where an integer was', '{"id":15,"l":1.5}', { _errors: nulled('l', 'long') }],
  ['a time without zone', '{"id":16,"at":"2024-01-02T03:04:05"}', { at: 1_704_164_645_000_000 }],
  ['a time with an offset', '{"id":17,"at":"2024-01-02T03:04:05+05:30"}', { at: 1_704_144_845_000_000 }],
  ['a text that never ends', '{"id":18,"s":"un', 'malformed_json'],
  ['bytes that are no text', '{"id":19,"s":"\xff"}', 'invalid_utf8'],
  ['a list in place of an object', '[20]', 'malformed_json'],
  ['null in place of an object', 'null', 'no_data'],
  ['a new field with any number', '{"id":22,"new":{"x":1e400}}', { _extra: '{"new":{"x":1e400}}' }],
  ['the character zero', '{"id":23,"s":"\\u0000"}', { s: '\u0000' }],
];

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

async function rowsOf(source: LineSource, fields: readonly string[]): Promise<readonly unknown[][]> {
  const location = await source.location();
  return (await readRows<unknown[]>({ locations: [location], fields, properties: {} }))[location] ?? [];
}

t.test('whatever a source says is an exact row, a row that tells of it, or a line in quarantine', async (t) => {
  const platform = await platformOfLines(t);

  await t.test('hostile lines in one sync', async (t) => {
    const steps = LINES.map(([, line]) => ({ data: base64(line) }));
    const source = await lineSource(platform, 'hostile', { schema: SCHEMA, steps });
    const run = await source.sync();
    const rows = new Map((await rowsOf(source, FIELDS)).map((row) => [row[0], row]));
    const { items, reasons } = await source.quarantined();
    const rejected = new Map(items.map((item) => [item.position, item]));
    const kept = LINES.flatMap(([, , fate]) => (typeof fate === 'string' ? [] : [fate]));
    t.match(run, {
      ...{ status: 'succeeded', verdict: 'with_rejects', rows_read: LINES.length, rows_written: kept.length },
      rows_with_errors: kept.filter(({ _errors }) => _errors !== undefined).length,
      rows_with_extra: kept.filter(({ _extra }) => _extra !== undefined).length,
      rows_rejected: LINES.length - kept.length,
    });
    t.equal(rows.size, kept.length);
    t.equal(
      reasons.reduce((sum, { lines }) => sum + lines, 0),
      LINES.length - kept.length,
    );
    for (const [at, [what, line, fate]] of LINES.entries()) {
      const given = typeof fate === 'string' ? {} : fate;
      const wanted = FIELDS.map((name) => (name === 'id' ? at : (given[name] ?? (name === '_errors' ? [] : null))));
      if (typeof fate !== 'string') t.strictSame(rows.get(at), wanted, what);
      else t.match(rejected.get(String(at)), { reason: fate, run_id: run.run_id }, what);
      const shown = rejected.get(String(at))?.line;
      if (typeof shown === 'string') t.ok(shown.includes(`"data":${line},`), 'as it came');
    }
  });

  await t.test(
    'columns that differ in case alone are refused by name of the rule, before anything is read',
    async (t) => {
      const schema = { type: 'object', properties: { name: { type: 'string' }, NAME: { type: 'string' } } };
      const source = await lineSource(platform, 'cases', { schema, steps: [{ data: base64('{"name":"a"}') }] });
      t.match(await source.sync(), { status: 'failed', rows_read: 0, failure: { code: 'columns_refused' } });
    },
  );

  await t.test('a line of 20 MB is a row, one over the limit is told of', async (t) => {
    const [long, tooLong] = [20_000_000, 68_000_000];
    const steps = [
      { from: 0, count: 1 },
      { id: 1, long },
      { id: 2, long: tooLong },
      { from: 3, count: 1 },
      { state: 1 },
    ];
    const source = await lineSource(platform, 'long', { schema: SCHEMA, steps });
    const run = await source.sync();
    t.match(run, { status: 'succeeded', verdict: 'with_rejects', rows_written: 3, rows_rejected: 1 });
    const rows = (await rowsOf(source, ['id', 's'])).map(([id, s]) => [id, String(s).length]);
    t.strictSame(rows.sort(), [
      [0, 0],
      [1, long],
      [3, 0],
    ]);
    t.match(await source.quarantined(), { total: 1, items: [{ reason: 'line_too_large', position: '2' }] });
  });

  await t.test('a last line that is cut off is read again whole, with all that no state covered', async (t) => {
    const cut = { cut: base64('{"id":5'), once: join(platform.folder, 'was-cut') };
    const steps = [
      { from: 0, count: 3 },
      { state: 1 },
      { from: 3, count: 2 },
      cut,
      { from: 5, count: 1 },
      { state: 2 },
    ];
    const source = await lineSource(platform, 'cut', { schema: SCHEMA, steps });
    const run = await source.sync();
    t.match(run, { status: 'succeeded', verdict: 'clean', attempt: 2 });
    t.strictSame((await rowsOf(source, ['id'])).flat().sort(), [0, 1, 2, 3, 4, 5]);
  });
});
