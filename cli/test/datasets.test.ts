import fc from 'fast-check';
import t from 'tap';
import { commandLine } from './command-line.ts';
import { fakeApi } from './fake-api.ts';

const LARGEST = 2n ** 63n - 1n;
const DATASET = 'bronze.demo.t';
const PREVIEW = `GET /api/v1/datasets/${DATASET}/preview`;
const SCHEMA = `GET /api/v1/datasets/${DATASET}/schema`;

t.test('a thousand snapshot ids of 64 bits come out as the digits that went in, in every format', async (t) => {
  const { weir } = commandLine(t);
  const id = fc.oneof(fc.bigInt({ min: 2n ** 53n + 1n, max: LARGEST }), fc.bigInt({ min: 1n, max: LARGEST }));
  const [some] = fc.sample(fc.uniqueArray(id, { minLength: 996, maxLength: 996 }), 1) as [bigint[]];
  const ids = [...new Set([...some, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, LARGEST])];
  const item = (one: bigint) =>
    `{"snapshot_id":${one},"snapshot_id_exact":"${one}","parent_snapshot_id_exact":"${one}"}`;
  const raw = `{"items":[${ids.map(item).join(',')}],"next_page_token":null,"total":null}`;
  const api = await fakeApi(t, { [`GET /api/v1/datasets/${DATASET}/snapshots`]: { status: 200, raw } });
  const out = async (format: string) =>
    (await weir(`datasets snapshots ${DATASET} --url ${api.url} -o ${format}`)).stdout;
  const wanted = ids.map((one) => ({ snapshot_id: String(one), parent_snapshot_id: String(one) }));
  t.strictSame(JSON.parse(await out('json')).items, wanted);
  const lines = (await out('ndjson')).trim().split('\n');
  t.strictSame(
    lines.map((line) => JSON.parse(line)),
    wanted,
  );
  const { parse } = await import('yaml');
  t.strictSame(parse(await out('yaml')).items, wanted, 'YAML keeps them text');
  const cells = (await out('table')).trim().split('\n').slice(1);
  t.strictSame(
    cells.map((line) => line.trim().split(/\s+/)[0]),
    ids.map(String),
  );
});

t.test('a preview asks for columns, filters, an order and a page as they are typed', async (t) => {
  const { weir } = commandLine(t);
  const body = {
    dataset_id: DATASET,
    snapshot_id: '1',
    columns: [{ name: 'id', type: 'long' }],
    rows: [['7']],
    has_more: true,
    next_page_token: 'next',
  };
  const api = await fakeApi(t, { [PREVIEW]: { status: 200, body } });
  const ran = await weir([
    ...['datasets', 'preview', DATASET, '--url', api.url, '--columns', 'id,a b', '--columns', 'x'],
    ...['--filter', 'id:ge:1', '--filter', 'a b:eq:1,2&3', '--order', '-id', '--page-token', 'tok', '--limit', '1'],
  ]);
  t.match(ran, { code: 0, stdout: 'id\n7\n', stderr: /--page-token next/ });
  t.match(await weir(`datasets preview ${DATASET} -o wide --url ${api.url}`), { stdout: 'id\nlong\n7\n' });
  const narrow = { env: { COLUMNS: '20' } };
  t.match(await weir(`datasets preview ${DATASET} --url ${api.url}`, narrow), { stderr: /more: a higher/ });
  const chart = await weir(`datasets preview ${DATASET} --chart id,id --url ${api.url}`);
  t.match(chart.stderr, 'drawn: the first 1 rows; --limit draws more');
  const asked = api.seen[0]?.url.searchParams;
  t.strictSame(asked?.getAll('columns'), ['id,a b', 'x']);
  t.strictSame(asked?.getAll('filter'), ['id:ge:1', 'a b:eq:1,2&3']);
  t.strictSame([asked?.get('order'), asked?.get('page_token'), asked?.get('limit')], ['-id', 'tok', '1']);
  await weir(`datasets preview ${DATASET} --url ${api.url}`);
  t.equal(api.seen.at(-1)?.url.search, '', 'nothing is asked for that was not typed');
});

const field = (id: number, name: string, type = 'long', parent_id: number | null = null) => ({
  id,
  parent_id,
  name,
  type,
  required: false,
});
const schema = (schema_id: number, fields: object[], snapshot_id: string | null = null) => ({
  status: 200,
  body: { dataset_id: DATASET, schema_id, is_current: false, snapshot_id, fields },
});

t.test('a schema is a table of fields, nested ones set in, and its JSON is what the API said', async (t) => {
  const { weir } = commandLine(t);
  const answer = schema(3, [field(1, 'home', 'struct<no: long>'), field(2, 'no', 'long', 1)]);
  const api = await fakeApi(t, { [SCHEMA]: answer });
  const shown = await weir(`datasets schema ${DATASET} --url ${api.url}`);
  t.equal(
    shown.stdout,
    'ID  NAME  TYPE              REQUIRED\n 1  home  struct<no: long>  false\n 2    no  long              false\n',
  );
  const json = await weir(`datasets schema ${DATASET} --snapshot 9223372036854775807 -o json --url ${api.url}`);
  t.strictSame(JSON.parse(json.stdout), answer.body);
  t.equal(api.seen[1]?.url.search, '?snapshot_id=9223372036854775807');
});

t.test('two versions, or two snapshots, are compared by field ids', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, {
    [SCHEMA]: ({ url }) =>
      url.searchParams.get('schema_id') === '0' || url.searchParams.get('snapshot_id') === '9223372036854775807'
        ? schema(0, [field(1, 'a'), field(2, 'b')])
        : schema(1, [field(1, 'a'), field(2, 'c', 'double')]),
  });
  const lines =
    'CHANGE        FIELD_ID  PATH  FROM  TO\nrenamed              2  c     b     c\ntype_changed         2  c     long  double\n';
  t.match(await weir(`datasets schema ${DATASET} --diff 0,1 --url ${api.url}`), { code: 0, stdout: lines });
  const snapshots = await weir(
    `datasets schema ${DATASET} --diff 9223372036854775807,1234567890 -o json --url ${api.url}`,
  );
  t.match(JSON.parse(snapshots.stdout), { from_schema_id: 0, to_schema_id: 1, items: [{ change: 'renamed' }, {}] });
  t.match(await weir(`datasets schema ${DATASET} --diff 0,0 --url ${api.url}`), { code: 0, stderr: /no difference/ });
  for (const wrong of ['0', '0,1,2', 'a,b', '0,-1', ',']) {
    t.equal((await weir(['datasets', 'schema', DATASET, '--diff', wrong, '--url', api.url])).code, 2, wrong);
  }
});

t.test('the versions of a schema are listed', async (t) => {
  const { weir } = commandLine(t);
  const item = {
    schema_id: 1,
    is_current: true,
    since: null,
    first_snapshot_id: '9007199254740993',
    fields_count: 2,
    changes: [],
  };
  const body = { items: [item], next_page_token: null, total: 1 };
  const api = await fakeApi(t, { [`${SCHEMA}/history`]: { status: 200, body } });
  const ran = await weir(`datasets schema-history ${DATASET} --url ${api.url}`);
  t.match(ran, { code: 0, stdout: /^SCHEMA_ID[\s\S]*9007199254740993/ });
});

t.test(
  'a statement, or a file with one → its rows in the chosen format, and a note where there are more',
  async (t) => {
    const { weir } = commandLine(t);
    const body = {
      columns: [
        { name: 'id', type: 'long' },
        { name: 'note', type: 'string' },
      ],
      rows: [
        ['7', 'a "b", c'],
        ['8', null],
      ],
      ...{ truncated: true, inputs: [], elapsed_ms: 3 },
    };
    const api = await fakeApi(t, { 'POST /api/v1/query': { status: 200, body } });
    const ran = await weir(['sql', 'select 1', '--url', api.url, '--limit', '2']);
    t.match(ran, { code: 0, stdout: /id +note\n7 +a "b", c\n8 +NULL\n/, stderr: /more rows/ });
    t.match(await weir(['sql', 'select 1', '--url', api.url, '-o', 'csv']), {
      stdout: 'id,note\n7,"a ""b"", c"\n8,\n',
    });
    const file = `${t.testdir({ 'q.sql': 'select 2' })}/q.sql`;
    t.match(JSON.parse((await weir(['sql', '-f', file, '--url', api.url, '-o', 'json'])).stdout), body);
    t.strictSame(
      api.seen.map((one) => one.body),
      [{ sql: 'select 1', limit: 2 }, { sql: 'select 1' }, { sql: 'select 2' }],
    );
    t.equal((await weir(['sql', '--url', api.url])).code, 2);
  },
);
