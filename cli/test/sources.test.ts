import type { StreamRunView } from '@weir/plugin-sources/contract';
import t from 'tap';
import { keptText } from '../src/commands/sources/sources-sync.ts';
import { commandLine } from './command-line.ts';
import { type Answer, fakeApi, problem } from './fake-api.ts';
import { IDS, run, sources } from './shapes.ts';

const { source, other, runId } = IDS;
const AT = `/api/v1/sources/${source}`;
const RUN = `/api/v1/sources/sync-runs/${runId}`;
const ok = (body: unknown, status = 200): Answer => ({ status, body });
const stream = {
  ...{ stream_id: other, source_id: source, name: 'orders', namespace: 'sales', etag: '3', enabled: true },
  ...{ sync_mode: 'incremental', write_mode: 'append', destination: { dataset_id: 'bronze.demo.shop__orders' } },
};
const page = (items: object[]) => ok({ items, next_page_token: null, total: null });

/** What the fake was asked to change, in order. */
const changes = (seen: { call: string }[]) => seen.map(({ call }) => call).filter((call) => !call.startsWith('GET'));

t.test('a refresh looks, shows the difference, asks, and posts what was looked at', async (t) => {
  const diff = {
    added: [{ name: 'new', namespace: null, dataset_id: 'bronze.demo.shop__new', supported_sync_modes: [] }],
    changed: [
      {
        ...{ stream_id: other, name: 'orders', namespace: 'sales', supported_sync_modes: null },
        fields: [
          { path: ['a', 'b'], change: 'added', from: null, to: 'string' },
          { path: ['id'], change: 'changed', from: 'integer', to: 'string' },
          { path: ['at'], change: 'removed', from: 'string', to: null },
        ],
      },
    ],
    removed: [{ stream_id: runId, name: 'gone', namespace: null, enabled: true, dataset_id: 'bronze.demo.shop__gone' }],
    needs_attention: [{ ...stream, attention: [{ pointer: '/cursor_field', code: 'unknown_field' }] }],
    table_conflicts: [{ name: 'orders', namespace: 'sales', dataset_id: 'bronze.demo.shop__orders', columns: ['id'] }],
    unchanged: 4,
  };
  const found = { workflow_id: 'w', status: 'succeeded', streams: [{ name: 'new' }], warnings: [], failure: null };
  const refresh = `POST ${AT}/streams/refresh-schema`;
  const world = async (answer: object = diff, ended: object = found) => {
    const api = await fakeApi(t, {
      'POST /api/v1/sources/discover': ok({ workflow_id: 'w', run_id: runId, warning: null }, 202),
      'GET /api/v1/sources/discover/status/w': ok(ended),
      [refresh]: ok(answer),
    });
    const { weir } = commandLine(t);
    return { api, weir: (flags: string) => weir(`sources refresh-schema ${source} --url ${api.url} ${flags}`.trim()) };
  };

  const asking = await world();
  const asked = await asking.weir('');
  t.match(asked, { code: 2, stderr: /1 added \(disabled\), 1 changed, 1 removed: gone/ });
  t.match(asked.stdout, /changed +sales\.orders +\+ a\.b string; id integer -> string; - at/);
  t.match(asked.stdout, /removed +gone +its table bronze\.demo\.shop__gone stays/);
  t.match(asked.stdout, /table keeps type +sales\.orders +id of bronze\.demo\.shop__orders; reset the stream/);
  t.match(asked.stdout, /needs attention +sales\.orders +\/cursor_field: unknown_field/);
  t.strictSame(changes(asking.api.seen), ['POST /api/v1/sources/discover', refresh], 'only the dry run');
  t.strictSame(asking.api.seen[0]?.body, { source_id: source, apply: false }, 'the discovery only looks');
  t.equal(asking.api.seen.at(-1)?.url.searchParams.get('dry_run'), 'true');

  const sure = await world();
  t.equal((await sure.weir('--yes')).code, 0);
  const posted = sure.api.seen.filter(({ call }) => call === refresh);
  t.strictSame(
    posted.map(({ url, body }) => [url.search, body]),
    [
      ['?dry_run=true', { workflow_id: 'w' }],
      ['', { workflow_id: 'w' }],
    ],
  );
  const dry = await world();
  t.equal((await dry.weir('--dry-run -o json')).code, 0);
  t.equal((await dry.weir('--dry-run --exit-code')).code, 7);
  t.equal((await dry.weir('--exit-code')).code, 2);
  const same = await world({ ...diff, added: [], changed: [], removed: [] });
  t.match(await same.weir('--yes'), { code: 0, stderr: /nothing to change/ });
  const failure = {
    code: 'folder_unreadable',
    detail: 'It cannot be read.',
    hint: null,
    origin: 'config',
    retryable: false,
  };
  const broken = await world(diff, { ...found, status: 'failed', streams: null, failure });
  t.match(await broken.weir('--yes'), { code: 1, stderr: /It cannot be read/ });
});

t.test('a reset tells its consequences, asks, and names the state that they were told for', async (t) => {
  const sentences = ['Nothing is deleted now.', 'The next sync reads everything.'];
  const reset = `POST ${AT}/streams/${other}/reset`;
  const routes = {
    [`GET ${AT}/streams`]: page([stream]),
    [`GET ${AT}/streams/${other}/reset`]: ok({ ...stream, sentences, etag: '3' }),
    [reset]: ok(stream),
  };
  const api = await fakeApi(t, routes);
  const { weir } = commandLine(t);
  const line = `sources reset ${source} orders --url ${api.url}`;
  t.match(await weir(line), {
    code: 2,
    stderr: /Nothing is deleted now\.\n.*reads everything\.\n.*Reset sales\.orders of/s,
  });
  t.equal((await weir(`${line} --dry-run`)).code, 0);
  t.strictSame(changes(api.seen), []);
  t.equal((await weir(`${line} --yes`)).code, 0);
  t.equal(api.seen.at(-1)?.headers['if-match'], '"3"');
  const whole = await fakeApi(t, {
    [`GET ${AT}/reset`]: ok({ streams: 2, sentences, etag: '7' }),
    [`POST ${AT}/reset`]: ok({ streams: 2, sentences, etag: '8' }),
  });
  const all = `sources reset ${source} --all --url ${whole.url}`;
  t.match(await weir(all), { code: 2, stderr: /Reset all streams of/ });
  t.equal((await weir(`${all} --yes`)).code, 0);
  t.equal(whole.seen.at(-1)?.headers['if-match'], '"7"');
  t.equal((await weir(`sources reset ${source} --url ${whole.url}`)).code, 2, 'a stream or all');
  const stale = await fakeApi(t, { ...routes, [reset]: problem(412, 'precondition_failed') });
  t.equal((await weir(`sources reset ${source} orders --yes --url ${stale.url}`)).code, 5);
});

t.test('a sync says of each table how many rows shared their key with a later one', async (t) => {
  const { weir } = commandLine(t);
  const answer = async (rows_deduplicated: number | null) => {
    const ended = run(source, 'succeeded');
    const streams = ended.streams.map((one) => ({ ...one, rows_deduplicated }));
    const api = await fakeApi(t, {
      [`POST ${AT}/sync`]: ok({ workflow_id: 'w', run_id: runId, warning: null }, 202),
      [`GET ${AT}/sync/status`]: ok({ source_id: source, run: { ...ended, streams } }),
    });
    return weir(`sources sync ${source} -w --url ${api.url}`);
  };
  const said = 'bronze.demo.shop__orders: 3 of 10 rows shared their key with a later row; the last one was kept';
  t.match(await answer(3), { code: 0, stderr: said });
  for (const none of [0, null]) t.notMatch((await answer(none)).stderr, 'shared their key');
});

t.test('a sync says which files and rows the read left out, and why', async (t) => {
  const { weir } = commandLine(t);
  const ended = run(source, 'succeeded');
  const note = (kind: string, count: number, file: string | null, message: string | null) => ({
    ...{ kind, count, file, code: 'code', message },
  });
  const left_out = [
    note('rows_left_out', 3, null, 'No value of the cursor.'),
    note('file_gone', 2, 'a.csv', null),
    ...Array.from({ length: 12 }, (_, at) => note('file_left_out', 1, `${at}.csv`, 'No header.')),
  ];
  const streams = ended.streams.map((one) => ({ ...one, left_out }));
  const api = await fakeApi(t, {
    [`POST ${AT}/sync`]: ok({ workflow_id: 'w', run_id: runId, warning: null }, 202),
    [`GET ${AT}/sync/status`]: ok({ source_id: source, run: { ...ended, streams } }),
  });
  const { stderr } = await weir(`sources sync ${source} -w --url ${api.url}`);
  for (const line of [
    '3 rows were left out: No value of the cursor.',
    'a.csv and 1 more are gone, and the rows stay',
    '7.csv is left out: No header.',
    '4 more notes; -o json shows them',
  ])
    t.match(stderr, `bronze.demo.shop__orders: ${line}`);
  t.notMatch(stderr, '8.csv');
});

t.test('a sync is cancelled by its run or by its source', async (t) => {
  const cancelled = ok({ run_id: runId, workflow_id: 'w', source_id: source, outcome: 'cancelling' }, 202);
  const { weir } = commandLine(t);
  const byRun = await fakeApi(t, { [`POST ${RUN}/cancel`]: cancelled });
  t.match(await weir(`sources cancel ${runId} --url ${byRun.url}`), { code: 0, stderr: /sources runs get/ });
  const status = (state: string) => ({ [`GET ${AT}/sync/status`]: ok({ source_id: source, run: run(source, state) }) });
  const bySource = await fakeApi(t, { ...status('running'), [`POST ${RUN}/cancel`]: cancelled });
  t.equal((await weir(`sources cancel ${source} --url ${bySource.url}`)).code, 0);
  t.equal(bySource.seen.at(-1)?.call, `POST ${RUN}/cancel`);
  for (const [end, code] of [
    ['cancelled', 0],
    ['succeeded', 5],
  ] as const) {
    const ending = await fakeApi(t, { ...status(end), [`POST ${RUN}/cancel`]: cancelled });
    const waited = await weir(`sources cancel ${runId} -w --url ${ending.url}`);
    t.equal(waited.code, code, end);
    t.equal(/The cancel came too late: the sync ended succeeded/.test(waited.stderr), end === 'succeeded');
  }
  const idle = await fakeApi(t, status('succeeded'));
  t.match(await weir(`sources cancel ${source} --url ${idle.url}`), {
    code: 5,
    stderr: /No sync of this source is open/,
  });
  const over = await fakeApi(t, { [`POST ${RUN}/cancel`]: problem(409, 'run_not_active') });
  t.equal((await weir(`sources cancel ${runId} --url ${over.url}`)).code, 5);
  t.equal((await weir(`sources cancel ${other} --url ${byRun.url}`)).code, 4);
});

t.test('the receipt of a sync says which release and which image made it', async (t) => {
  const { weir } = commandLine(t);
  const connector = { pattern_id: 'files', version: '1', image: 'files:1' };
  const note = async (made: object) => {
    const versions = { release_sha: 'abc', image_digest: 'unknown', plugins: [], connector: made };
    const receipt = { run_id: runId, status: 'succeeded', verdict: 'clean', versions, streams: [] };
    const api = await fakeApi(t, { [`GET ${RUN}/receipt`]: ok({ sha256: 'd', etag: 'd', receipt }) });
    return (await weir(`runs receipt ${runId} --url ${api.url}`)).stderr;
  };
  const contained = await note({ ...connector, image_digest: 'sha256:0a' });
  t.match(contained, /^succeeded, clean; release abc, files:1, sha256:0a$/m);
  const process = /^succeeded, clean; release abc, files:1$/m;
  t.match(await note({ ...connector, image_digest: null }), process);
  t.match(await note(connector), process, 'of an earlier release');
});

t.test('history is limited to a time, and summed up when asked to', async (t) => {
  const api = await fakeApi(t, {
    [`GET ${AT}/sync-history`]: ok({ items: [run(source, 'succeeded')], next_page_token: 'next', total: null }),
    [`GET ${AT}/sync-history/stats`]: ok({ source_id: source, runs: 3, success_rate: 0.5 }),
  });
  const { weir } = commandLine(t);
  const before = Date.now();
  const listed = await weir(`sources history ${source} --since 2d --limit 1 --status succeeded --url ${api.url}`);
  t.match(listed, { code: 0, stdout: new RegExp(runId), stderr: /--page-token next/ });
  const query = api.seen[0]?.url.searchParams;
  const ago = before - Date.parse(query?.get('since') ?? '');
  t.ok(ago > 1.9 * 86_400_000 && ago < 2.1 * 86_400_000);
  t.strictSame([query?.get('limit'), query?.get('status')], ['1', 'succeeded']);
  const summed = await weir(`sources history ${source} --stats --since 2024-01-01T00:00:00Z -o json --url ${api.url}`);
  t.match(JSON.parse(summed.stdout), { runs: 3, success_rate: 0.5 });
  t.equal(api.seen[1]?.url.searchParams.get('since'), '2024-01-01T00:00:00Z');
  t.equal((await weir(`sources history ${source} --since soon --url ${api.url}`)).code, 2);
});

t.test('readiness shows every check, and says what keeps a sync from starting', async (t) => {
  const check = { title: 'Incremental streams have a cursor', blocks: true, hint: 'Set one.', items: [] };
  const checks = [
    { ...check, check: 'source_state', status: 'pass', detail: 'Fine.' },
    {
      ...{ ...check, check: 'cursor_fields', status: 'fail', detail: '1 stream.' },
      items: [{ id: other, name: 'orders', code: 'cursor_field_required' }],
    },
  ];
  const body = { subject: 'source', subject_id: source, ready: false, checks };
  const api = await fakeApi(t, { [`GET ${AT}/readiness`]: ok(body) });
  const { weir } = commandLine(t);
  const shown = await weir(`sources readiness ${source} --url ${api.url}`);
  t.match(shown, { code: 0, stderr: /not ready: cursor_fields\nhint: Set one\./ });
  t.match(shown.stdout, /fail +Incremental streams have a cursor +1 stream\. +orders: cursor_field_required/);
  t.strictSame(JSON.parse((await weir(`sources readiness ${source} -o json --url ${api.url}`)).stdout), body);
});

t.test('a ready source whose last sync failed → readiness says so, and why', async (t) => {
  const last_run = { ...run(source, 'failed'), ended_at: new Date(Date.now() - 2.5 * 3_600_000).toISOString() };
  const api = await fakeApi(t, {
    [`GET ${AT}/readiness`]: ok({ subject: 'source', subject_id: source, ready: true, checks: [] }),
    [`GET ${AT}`]: ok({ ...sources(source, 'shop'), last_run }),
  });
  const { stderr } = await commandLine(t).weir(`sources readiness ${source} --url ${api.url}`);
  t.match(stderr, /ready\nthe last sync failed 2 h ago: A row has too many fields\. \(csv_row_too_wide\)/);
});

t.test('streams are added, removed and changed in bulk', async (t) => {
  const { weir, home } = commandLine(t);
  const { writeFile } = await import('node:fs/promises');
  await writeFile(`${home}/orders.json`, '{"properties":{"id":{}}}');
  await writeFile(
    `${home}/bulk.yaml`,
    'streams:\n  - { name: orders, enabled: true }\n  - { name: gone, delete: true }\n',
  );
  const api = await fakeApi(t, {
    [`GET ${AT}/streams`]: page([stream]),
    [`POST ${AT}/streams`]: ok(stream, 201),
    [`POST ${AT}/streams/bulk`]: ok({ results: [{ action: 'updated', stream_id: other, name: 'orders', stream }] }),
    [`DELETE ${AT}/streams/${other}`]: { status: 204 },
  });
  const add = `sources streams add ${source} --name orders --schema ${home}/orders.json --enable --primary-key id`;
  t.equal((await weir(`${add} --url ${api.url}`)).code, 0);
  t.strictSame(api.seen[0]?.body, {
    ...{ name: 'orders', schema: { properties: { id: {} } }, enabled: true, primary_key: [['id']] },
  });
  t.equal((await weir(`sources streams add ${source} --name orders --url ${api.url}`)).code, 2);
  const remove = `sources streams delete ${source} sales.orders --url ${api.url}`;
  t.match(await weir(remove), { code: 2, stderr: /sales\.orders \(its table bronze\.demo\.shop__orders stays\)/ });
  t.equal((await weir(`${remove} --yes`)).code, 0);
  t.match(api.seen.at(-1), { call: `DELETE ${AT}/streams/${other}`, headers: { 'if-match': '"3"' } });
  const bulk = `sources streams bulk ${source} -f ${home}/bulk.yaml --url ${api.url}`;
  t.match(await weir(bulk), { code: 2, stderr: /gone; the tables stay/ });
  t.match(await weir(`${bulk} --yes`), { code: 0, stdout: /updated +.* +orders/ });
});

t.test('a start that waits for a worker says so, and an interrupted wait says how to end the run', async (t) => {
  const warning = { code: 'no_worker', detail: 'No worker polls the queue.', last_seen_at: null };
  const interrupt = new AbortController();
  const api = await fakeApi(t, {
    [`POST ${AT}/sync`]: ok({ workflow_id: 'w', run_id: runId, warning }, 202),
    [`GET ${AT}/sync/status`]: () => {
      interrupt.abort();
      return ok({ source_id: source, run: run(source, 'running') });
    },
  });
  const { weir } = commandLine(t);
  const ran = await weir(`sources sync ${source} --queue --url ${api.url}`);
  t.match(ran, { code: 0, stderr: /warning: No worker polls the queue\./ });
  t.equal(api.seen[0]?.url.searchParams.get('queue'), 'true');
  const stopped = await weir(`sources sync ${source} -w --url ${api.url}`, { interrupted: interrupt.signal });
  t.match(stopped, { code: 130, stderr: new RegExp(`weir sources cancel ${runId}`) });
});

t.test('a sync that kept fields in _extra → which, of how many rows, and what makes columns of them', async (t) => {
  const changes = [
    { field: 'discount', change: 'captured', type: 'double' },
    { field: 'Größe', change: 'captured', type: 'string' },
    { field: 'note', change: 'added', type: 'string' },
  ];
  const run = { name: 'orders', namespace: null, rows_with_extra: 3, schema_changes: changes };
  t.equal(
    keptText(run as unknown as StreamRunView, 'shop'),
    '_extra of 3 rows has the values of discount, Größe, which lack a column; weir sources streams set shop orders --schema-changes evolve makes columns',
  );
  t.equal(keptText({ ...run, schema_changes: [] } as unknown as StreamRunView, 'shop'), undefined);
});
