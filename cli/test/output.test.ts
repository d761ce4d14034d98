import assert from 'node:assert/strict';
import { strictYaml } from '@weir/documents';
import fc from 'fast-check';
import t from 'tap';
import { parse } from 'yaml';
import { cases } from '../../test/lane.ts';
import { CliError } from '../src/cli-error.ts';
import { chartText } from '../src/commands/datasets/datasets.ts';
import { errorJson } from '../src/error-text.ts';
import { foldExact } from '../src/output/fold-exact.ts';
import { OUTPUTS } from '../src/output/formats.ts';
import { render } from '../src/output/render.ts';
import { condense, sparkline } from '../src/output/sparkline.ts';
import { cellText, table } from '../src/output/table.ts';
import { commandLine, ending } from './command-line.ts';
import { fakeApi } from './fake-api.ts';
import { IDS, run, sources } from './shapes.ts';

const page = (items: unknown[], more: object = {}) => ({ items, next_page_token: null, total: null, ...more });

t.test('a list in every format', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { 'GET /api/v1/sources': { status: 200, body: page([sources(IDS.source, 'shop')]) } });
  const list = async (format: string) => (await weir(`sources list --url ${api.url} -o ${format}`)).stdout;
  t.match(await list('table'), /^NAME +PATTERN_ID +STATUS +STREAMS +LAST_SYNC +AGE +WHY\nshop {2}files/);
  t.match(await list('wide'), /PATTERN_VERSION/);
  t.equal(JSON.parse(await list('json')).items[0].name, 'shop');
  t.match(await list('yaml'), /^items:\n {2}- source_id: /);
  t.equal(JSON.parse(await list('ndjson')).name, 'shop');
  t.equal(await list('name'), 'shop\n', 'what commands take, as one reads it');
});

t.test('a source whose last sync failed → the list says so, how long ago, and why', async (t) => {
  const { weir } = commandLine(t);
  const ended_at = new Date(Date.now() - 4.5 * 60_000).toISOString();
  const shop = { ...sources(IDS.source, 'shop'), last_run: { ...run(IDS.source, 'failed'), ended_at } };
  const api = await fakeApi(t, {
    'GET /api/v1/sources': { status: 200, body: page([shop]) },
    [`GET /api/v1/sources/${IDS.source}`]: { status: 200, body: shop },
    [`GET /api/v1/sources/${IDS.source}/sync-history`]: {
      status: 200,
      body: page([{ ...shop.last_run, started_at: new Date(Date.parse(ended_at) - 1_500).toISOString() }]),
    },
  });
  const listed = await weir(`sources list --url ${api.url}`);
  t.match(listed.stdout, /shop .* failed +4 min ago +csv_row_too_wide$/m);
  t.ok(listed.stdout.split('\n').every((line) => line.length <= 80));
  const history = await weir(`sources history ${IDS.source} --url ${api.url}`);
  t.match(history.stdout, /CODE .* DURATION$/m);
  t.match(history.stdout, /csv_row_too_wide .* 1\.5 s$/m);
});

t.test('an empty list is {"items":[]} with exit 0, never a sentence', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { 'GET /api/v1/sources': { status: 200, body: page([]) } });
  const empty = await weir(`sources list -o json --url ${api.url}`);
  t.equal(empty.code, 0);
  t.equal(JSON.stringify(JSON.parse(empty.stdout)), '{"items":[]}');
  t.equal((await weir(`sources list -o ndjson --url ${api.url}`)).stdout, '');
});

t.test('query fields are flags, and a next page is pointed at on stderr', async (t) => {
  const { weir } = commandLine(t);
  const body = page([sources(IDS.source, 'shop')], { next_page_token: 'abc' });
  const api = await fakeApi(t, { 'GET /api/v1/sources': { status: 200, body } });
  const ran = await weir(`sources list --url ${api.url} --limit 1 --pattern-id files --page-token tok`);
  t.equal(api.seen[0]?.url.search, '?limit=1&page_token=tok&pattern_id=files');
  t.match(ran.stderr, '--page-token abc');
});

t.test('a name stands for an id where a source is meant', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, {
    'GET /api/v1/sources': ({ url }) => ({
      status: 200,
      body: page(url.searchParams.get('name') === 'shop' ? [sources(IDS.source, 'shop')] : []),
    }),
    [`GET /api/v1/sources/${IDS.source}`]: { status: 200, body: sources(IDS.source, 'shop') },
  });
  t.equal((await weir(`sources get shop --url ${api.url} -o name`)).stdout, 'shop\n');
  t.match(await weir(`sources get shed --url ${api.url}`), { code: 4, stderr: /There is no source shed/ });
});

t.test('--query selects by JMESPath, and a wrong expression is a usage error', async (t) => {
  const items = { items: [{ a_id: '1', n: 2 }] };
  t.equal(await render(items, { output: 'json', query: 'items[].n' }), '[\n  2\n]\n');
  t.equal(await render(items, { output: 'table', query: 'items[0].a_id' }), '1\n');
  t.equal(await render(items, { output: 'table', query: 'items[].{n: n}' }), 'N\n2\n');
  await t.rejects(render(items, { output: 'json', query: 'items[' }), ending('usage'));
});

t.test('a snapshot id is the exact decimal string everywhere', async (t) => {
  const big = 9_007_199_254_740_993n;
  const twin = { snapshot_id: 9_007_199_254_740_992, snapshot_id_exact: String(big), parent_snapshot_id_exact: null };
  t.strictSame(foldExact({ items: [twin] }), { items: [{ snapshot_id: String(big), parent_snapshot_id: null }] });
  const { weir } = commandLine(t);
  const raw = `{"items":[{"snapshot_id":${big},"snapshot_id_exact":"${big}"}],"next_page_token":null,"total":null}`;
  const api = await fakeApi(t, { 'GET /api/v1/datasets/bronze.demo.t/snapshots': { status: 200, raw } });
  const ran = await weir(`datasets snapshots bronze.demo.t --url ${api.url} -o json`);
  t.strictSame(JSON.parse(ran.stdout), { items: [{ snapshot_id: String(big) }] });
});

t.test('snapshot ids of 64 bits come out of every format as they are, and are read back from YAML so', async () => {
  const id = fc.oneof(fc.bigInt(2n ** 53n + 1n, 2n ** 63n - 1n), fc.constantFrom(2n ** 53n + 1n, 2n ** 63n - 1n));
  await fc.assert(
    fc.asyncProperty(id, async (number) => {
      const exact = String(number);
      const items = [{ snapshot_id: Number(number), snapshot_id_exact: exact }];
      const shown = { items: [{ snapshot_id: exact }] };
      assert.deepEqual(JSON.parse(await render({ items }, { output: 'json' })), shown);
      const yaml = await render({ items }, { output: 'yaml' });
      assert.deepEqual(parse(yaml), shown);
      assert.deepEqual(await strictYaml(Buffer.from(yaml)), shown, 'as the API reads a YAML body');
      assert.match(await render({ items }, { output: 'table' }), new RegExp(`\\b${exact}\\b`));
    }),
    { numRuns: cases(1000) },
  );
});

t.test('folding changes nothing but twins', async () => {
  const key = fc.string().filter((text) => !text.endsWith('_exact'));
  const plain = fc.letrec((tie) => ({
    value: fc.oneof(
      fc.integer(),
      fc.string(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(key, tie('value')),
    ),
  })).value;
  fc.assert(fc.property(plain, (value) => JSON.stringify(foldExact(value)) === JSON.stringify(value)));
});

t.test('table columns stay aligned, numbers to the right, nothing is cut', async (t) => {
  const text = table(
    ['name', 'n'],
    [
      { name: '日本', n: 5 },
      { name: 'ab', n: 10_000 },
    ],
  );
  t.equal(text, 'NAME      N\n日本      5\nab    10000\n');
  const long = 'x'.repeat(300);
  t.match(table(['id'], [{ id: long }]), long);
});

t.test('a column may be a path, and a field with dots in its name stays itself', async (t) => {
  t.equal(table(['to.id'], [{ to: { id: 'x' } }, { to: null }]), 'ID\nx\n\n');
  t.equal(table(['a.b'], [{ 'a.b': 'x', a: { b: 'y' } }]), 'A.B\nx\n');
});

const UNSEEN = /[\p{Bidi_Control}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2028\u2029\u2060\ufeff]/u;

t.test('data with control or bidi characters → no format prints one, and JSON and YAML keep the data', async (t) => {
  const texts = fc.string({
    unit: fc.oneof(fc.constantFrom(...'\u202e\u2066\u200f\u009b\u001b\r\u0085\ufeff\ta"\\:\n'), fc.string()),
  });
  await fc.assert(
    fc.asyncProperty(texts, texts, async (key, text) => {
      const value = { items: [{ [`k${key}`]: text, source_id: `s${text}` }] };
      for (const output of OUTPUTS) assert.doesNotMatch(await render(value, { output }), UNSEEN, output);
      assert.doesNotMatch(await render(value.items[0], { output: 'table' }), UNSEEN);
      assert.deepEqual(JSON.parse(await render(value, { output: 'json' })), value);
      assert.deepEqual(parse(await render(value, { output: 'yaml' })), value);
    }),
    { numRuns: cases(60) },
  );
  t.equal(cellText('a\u202eb\tc'), 'ab c');
});

t.test('an error with such characters, from an argument or the API → printed without them', async (t) => {
  const { weir } = commandLine(t);
  const { stderr } = await weir('sources list -o \u202etable\u001b[2J');
  t.match(stderr, 'got "table');
  t.notMatch(stderr, UNSEEN);
  const json = errorJson(new CliError('usage', 'a\u202eb'));
  t.equal(json.includes('\u202e'), false);
  t.equal(JSON.parse(json).error.message, 'a\u202eb');
});

t.test('a chart draws y in the order of x', async (t) => {
  const rows = [
    { d: '2012-01-02', v: 8 },
    { d: '2012-01-01', v: 1 },
  ];
  t.equal(chartText(rows, 'd,v'), 'v ▁█ 1 to 8, d 2012-01-01 to 2012-01-02\n');
  t.throws(() => chartText(rows, 'd'), ending('usage'));
  t.throws(() => chartText(rows, 'd,w'), ending('usage'));
  t.equal(chartText([], 'd,v'), 'v: no numbers\n');
  t.equal(sparkline([3, 3]), '▁▁');
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 20 }),
      (values, width) => {
        const short = condense(values, width);
        const within = short.every((mean) => mean >= Math.min(...values) && mean <= Math.max(...values));
        return short.length === Math.min(width, values.length) && within && sparkline(short).length === short.length;
      },
    ),
  );
});

t.test('a preview shows rows by column, and its JSON is what the API said', async (t) => {
  const { weir } = commandLine(t);
  const body = {
    dataset_id: 'bronze.demo.t',
    snapshot_id: '9007199254740993',
    columns: [
      { name: 'id', type: 'long' },
      { name: 'word', type: 'string' },
    ],
    rows: [
      ['9007199254740993', 'a'],
      ['2', null],
    ],
    has_more: true,
  };
  const api = await fakeApi(t, { 'GET /api/v1/datasets/bronze.demo.t/preview': { status: 200, body } });
  const shown = await weir(`datasets preview bronze.demo.t --limit 2 --url ${api.url}`);
  t.equal(shown.stdout, 'id                word\n9007199254740993  a\n2                 NULL\n');
  t.strictSame(JSON.parse((await weir(`datasets preview bronze.demo.t -o json --url ${api.url}`)).stdout), body);
  t.equal((await weir(`datasets preview bronze.demo.t -o ndjson --url ${api.url}`)).stdout.split('\n').length, 3);
});
