import { QueryClient, QueryObserver } from '@tanstack/react-query';
import type { ScheduleFactsView } from '@weir/plugin-schedules/contract';
import t from 'tap';
import { parse } from 'yaml';
import { readAgain } from '../../ui/src/api/queries.ts';
import { CHOSEN, composeConfig } from '../../ui/src/form/compose-config.ts';
import { nextSort, sortRows } from '../../ui/src/grid/sort-rows.ts';
import { attention, nextStep } from '../../ui/src/home/attention.ts';
import { documentOf, draftOf as policyDraftOf } from '../../ui/src/operations/policies/policy-draft.ts';
import { changedLines, operationsIn, statementsOf } from '../../ui/src/operations/policies/policy-words.ts';
import { isReached, draftOf as limitDraftOf, limitOf, usedText } from '../../ui/src/operations/tenants/limit-draft.ts';
import { instantOf, wallOf } from '../../ui/src/parts/zones.ts';
import { stepGraph, stepIdOf, without } from '../../ui/src/pipelines/step-changes.ts';
import { comparedRuns, comparedSyncs } from '../../ui/src/runs/compare/run-difference.ts';
import { bodyOf, draftFault, draftOf } from '../../ui/src/schedule/schedule-draft.ts';
import { commandText } from '../../ui/src/sources/create/command-text.ts';
import { credentialFields } from '../../ui/src/sources/credentials/credential-fields.ts';
import { configOf, proposedName } from '../../ui/src/sources/load/plan/load-plan.ts';

const NOW = new Date('2026-01-02T00:00:00Z');
type Runs = Parameters<typeof attention>[0];
type Others = Parameters<typeof attention>[1];
const NOTHING: Others = { sources: [], tables: [] };

/** Runs of one source by their statuses, newest first. */
const runs = (name: string | null, ...statuses: string[]) =>
  statuses.map((status, i) => ({
    run_id: `${name}-${i}`,
    kind: 'source-sync',
    status,
    subject: { kind: 'source', id: String(name), name },
    created_at: '2026-01-01T00:00:00Z',
    ended_at: status === 'pending' ? null : '2026-01-01T01:00:00Z',
    failure: null,
  })) as unknown as Runs;

t.test('the newest ended runs of a source → failed, failed again, recovered, or nothing', async (t) => {
  const kinds = (...statuses: string[]) => attention(runs('a', ...statuses), NOTHING, NOW).map(({ kind }) => kind);
  t.strictSame(kinds('failed', 'succeeded'), ['failed']);
  t.strictSame(kinds('failed', 'skipped', 'failed'), ['failed_again'], 'a skipped one breaks no streak');
  t.strictSame(kinds('succeeded', 'cancelled', 'failed'), ['recovered']);
  t.strictSame(kinds('succeeded', 'succeeded'), []);
  t.strictSame(kinds('pending', 'succeeded'), ['waiting']);
  t.strictSame(attention(runs(null, 'failed'), NOTHING, NOW), [], 'a connection that was only tested');
});

t.test('a start that is due since minutes → late, unless its schedule is paused', async (t) => {
  const source = (paused: boolean) =>
    [
      { source_id: 's', name: 's', last_run: null, schedule: { paused, next_run_at: '2026-01-01T23:50:00Z' } },
    ] as unknown as Others['sources'];
  t.match(attention([], { ...NOTHING, sources: source(false) }, NOW), [{ kind: 'late' }]);
  t.strictSame(attention([], { ...NOTHING, sources: source(true) }, NOW), []);
});

t.test('a check that fails, lines that were rejected → news of their own kinds, the check first', async (t) => {
  const [failed] = runs('a', 'failed');
  const checked = [{ ...failed, failure: { code: 'check_failed', detail: 'few_orders' } }] as unknown as Runs;
  const last_run = { run_id: 'r', rows_rejected: 2, ended_at: null, created_at: '2026-01-01T00:00:00Z' };
  const sources = [{ source_id: 's', name: 's', schedule: null, last_run }] as unknown as Others['sources'];
  t.match(attention(checked, { ...NOTHING, sources }, NOW), [
    { kind: 'check', why: 'few_orders' },
    { kind: 'rejected', runId: 'r', why: '2 lines of its last sync did not fit and can be tried again.' },
  ]);
});

t.test('what would help most now → streams, then rows, then a table of them, then a schedule', async (t) => {
  const source = (more: object) =>
    ({
      source_id: 's',
      name: 's',
      status: 'active',
      streams_enabled: 1,
      schedule: null,
      last_run: null,
      source_config: {},
      ...more,
    }) as unknown as Others['sources'][number];
  const synced = { last_run: { status: 'succeeded' } };
  const kind = (transforms: number | undefined, ...sources: Others['sources'][number][]) =>
    nextStep(sources, transforms)?.kind;
  t.equal(kind(0, source({}), source({ streams_enabled: 0 })), 'choose_streams');
  t.equal(kind(0, source(synced), source({})), 'sync');
  t.equal(kind(0, source(synced)), 'transform');
  t.equal(kind(1, source(synced)), 'schedule');
  t.equal(kind(1, source({ ...synced, schedule: { paused: false, next_run_at: null } })), undefined);
  t.equal(
    kind(1, source({ ...synced, source_config: { path: '/uploads/1' } })),
    undefined,
    'files that were sent once',
  );
  t.equal(kind(1, source({ status: 'retired', streams_enabled: 0 })), undefined);
  t.equal(kind(undefined, source(synced)), 'schedule', 'transforms that may not be read');
});

t.test('a table whose maintenance makes no progress → blocked, behind what has failed', async (t) => {
  const blocked = { why: 'races', detail: 'Six files wait.', since: '2026-01-01T12:00:00Z', run_id: null };
  const tables = [
    { dataset_id: 'gold.acme.revenue', blocked },
    { dataset_id: 'gold.acme.sales', blocked: null },
  ] as unknown as Others['tables'];
  const notices = attention(runs('a', 'failed'), { ...NOTHING, tables }, NOW);
  t.strictSame(
    notices.map(({ kind }) => kind),
    ['failed', 'blocked'],
  );
  t.match(notices[1], { subjectKind: 'dataset', subjectId: 'gold.acme.revenue', why: 'Six files wait.' });
});

t.test('what was typed → a configuration without what is empty, and its credentials by pointer', async (t) => {
  const schema = {
    oneOf: [{ required: ['path'] }, { required: ['url'] }],
    properties: {
      path: { type: 'string' },
      url: { type: 'string' },
      auth: { type: 'object', properties: { user: { type: 'string' }, token: { type: 'string' } } },
      globs: { type: 'array', items: { type: 'string' } },
    },
  };
  const typed = { [CHOSEN]: 'url', path: 'left', url: 'http://a', auth: { user: '', token: 's' }, globs: ['a', ''] };
  t.strictSame(composeConfig(schema, typed, ['/auth/token']), {
    config: { url: 'http://a', globs: ['a'] },
    credentials: { '/auth/token': 's' },
  });
});

const schedule = (times: object) =>
  ({
    ...{ cron: [], interval_seconds: null, offset_seconds: 0, timezone: 'Europe/Kyiv', overlap: 'buffer_one' },
    ...{ jitter_seconds: 7, catchup_window_seconds: 120, start_at: null, end_at: '2027-01-01T00:00:00Z', ...times },
  }) as unknown as ScheduleFactsView;

t.test(
  'a schedule that is edited and saved without a change → the same times, and what the form does not show',
  async (t) => {
    const rest = { timezone: 'Europe/Kyiv', overlap: 'buffer_one', jitter_seconds: 7, catchup_window_seconds: 120 };
    const crons = [
      ['30 2 * * mon-fri'],
      ['0 6 * * *'],
      ['5 7 * * sat,sun'],
      ['0 0 31 * *'],
      ['0 6 * 1-3 *', '*/5 * * * *'],
    ];
    for (const cron of crons) {
      const before = schedule({ cron });
      t.strictSame(bodyOf(draftOf(before, 'UTC'), before), { cron, ...rest, end_at: '2027-01-01T00:00:00Z' });
    }
    const every = schedule({ interval_seconds: 5_400, offset_seconds: 60 });
    t.match(draftOf(every, 'UTC'), { rhythm: 'interval', every: 90, unit: 'minutes' });
    t.match(bodyOf(draftOf(every, 'UTC'), every), { interval_seconds: 5_400, offset_seconds: 60 });
    t.match(draftOf(schedule({ cron: ['0 6 * * 1-5'] }), 'UTC'), { rhythm: 'cron', crons: '0 6 * * 1-5' });
    t.equal(draftFault({ ...draftOf(undefined, 'UTC'), days: [] }), 'Choose at least one day.');
    t.equal(draftFault(draftOf(undefined, 'UTC')), undefined);
  },
);

t.test('names of files → the name of their source, and tables of one or of each', async (t) => {
  const named = (name: string) => proposedName([{ name }]);
  t.strictSame(['Shop Orders 2024.csv.gz', '2024.parquet', 'a<b>.json'].map(named), [
    'shop-orders-2024',
    'files',
    'a-b',
  ]);
  const plan = { location: 'upload:1', name: 'shop', tables: 'each' as const, streams: undefined };
  t.strictSame(configOf(plan), { path: 'upload:1' });
  t.strictSame(configOf({ ...plan, tables: 'one' }), { path: 'upload:1', streams: [{ name: 'shop', glob: '*' }] });
});

t.test('pointers of credentials → their fields, of every item that the configuration has', async (t) => {
  const token = { title: 'Token', description: 'Of the service' };
  const spec = {
    properties: {
      auth: { oneOf: [{ properties: { kind: { const: 'key' } } }, { properties: { token } }] },
      shops: { items: { properties: { key: { maxLength: 9_000 } } } },
    },
  };
  const config = { shops: [{ name: 'a' }, { name: 'b' }] };
  t.match(credentialFields(spec, ['/auth/token', '/shops/*/key'], config), [
    { pointer: '/auth/token', title: 'Token', description: 'Of the service', isLong: false },
    { pointer: '/shops/0/key', isLong: true },
    { pointer: '/shops/1/key', isLong: true },
  ]);
});

t.test('a form as a command: its file is its configuration, credentials are named and never said', async (t) => {
  const config = { url: "https://x.y/'$(reboot)'", note: 'a\nYAML\nb', rows: 3, empty: '' };
  const text = commandText({
    name: 'shop',
    patternId: 'http',
    config,
    credentials: { '/auth/token': 'canary', '/n': 4 },
  });
  t.notMatch(text, /canary/);
  t.match(text, /--field auth\.token=env:TOKEN \\\n {2}--json-field n=env:N/);
  const [, end = '', file = ''] = /<<'(\w+)'\n([\s\S]*)$/.exec(text) ?? [];
  const lines = file.split('\n');
  t.equal(
    lines.findIndex((line) => line.trim() === end),
    lines.length - 1,
    'only the last line ends it',
  );
  t.strictSame(parse(lines.slice(0, -1).join('\n')), config);
});

t.test('a time by the clocks of a zone → its instant and back, also on days when the clocks change', async (t) => {
  t.equal(instantOf('2026-01-02T12:00', 'Europe/Berlin'), '2026-01-02T11:00:00.000Z');
  t.equal(instantOf('2026-03-29T01:30', 'Europe/Berlin'), '2026-03-29T00:30:00.000Z');
  t.equal(instantOf('2026-03-29T03:30', 'Europe/Berlin'), '2026-03-29T01:30:00.000Z');
  t.equal(instantOf('2026-07-01T00:00', 'America/St_Johns'), '2026-07-01T02:30:00.000Z');
  t.equal(wallOf('2026-07-01T02:30:00Z', 'America/St_Johns'), '2026-07-01T00:00');
  t.strictSame([instantOf('', 'UTC'), wallOf('later', 'UTC'), wallOf(undefined, 'UTC')], ['', '', '']);
});

t.test('the document of a policy → its form and back, and the lines that changed', async (t) => {
  const cedar =
    'forbid (principal,\n action == Action::"a.b", resource) when { principal.sub == "x;y" };\n// z;\nforbid (principal, action, resource);';
  t.strictSame(statementsOf(cedar), [
    'forbid (principal, action == Action::"a.b", resource) when { principal.sub == "x;y" };',
    '// z; forbid (principal, action, resource);',
  ]);
  t.strictSame(operationsIn({ cedar }), ['a.b']);
  const bindings = [
    { match: { claim: 'sub' as const, in: ['ann', 'bob'] }, grant: { roles: ['viewer' as const] } },
    { match: { claim: 'client_id' as const, equals: 'job' }, grant: { capabilities: ['sources:read'] } },
  ];
  t.strictSame(documentOf(policyDraftOf('access', { cedar, bindings })), { document: { cedar, bindings } });
  t.match(documentOf(policyDraftOf('access', {})), { fault: 'Add a rule or a limit.' });
  t.match(changedLines({ bindings }, { bindings: bindings.slice(1), cedar: 'forbid (principal, action, resource);' }), {
    added: [{ text: 'forbid (principal, action, resource);', isCode: true }],
    removed: [{ text: 'Whose subject is ann or bob: keeps roles up to viewer' }],
  });
});

t.test('two runs → each thing once, with how far the later one is from the earlier', async (t) => {
  const run = (seconds: number, status: string) => ({
    status,
    failure: null,
    attempt: 1,
    requested_by: 'ada',
    created_at: '2026-01-01T00:00:00Z',
    started_at: '2026-01-01T00:00:01Z',
    ended_at: new Date(Date.parse('2026-01-01T00:00:01Z') + seconds * 1_000).toISOString(),
  });
  const runsOf = [run(10, 'succeeded'), run(15, 'failed')] as unknown as Parameters<typeof comparedRuns>[0];
  const changes = (found: ReturnType<typeof comparedRuns>) =>
    found.flatMap(({ what, change }) => (change === '' ? [] : [`${what}: ${change}`]));
  t.strictSame(changes(comparedRuns(runsOf)), ['Result: differs', 'Took: +5.0 s (+50 %)']);
  const sync = (rows: number, ...streams: [id: string, rows: number][]) => ({
    rows_written: rows,
    rows_read: rows,
    rows_rejected: 0,
    bytes_read: 2_048,
    streams: streams.map(([stream_id, rows_written]) => ({ stream_id, name: `Größe ${stream_id}`, rows_written })),
  });
  const syncs = [sync(0, ['a', 0]), sync(1_200, ['a', 1_000], ['b', 200])] as unknown as Parameters<
    typeof comparedSyncs
  >[0];
  t.strictSame(
    changes(comparedSyncs(syncs)),
    ['Rows committed: +1,200', 'Rows read: +1,200', 'Rows of Größe a: +1,000', 'Rows of Größe b: differs'],
    'no share of nothing, and a stream that only one has',
  );
  t.strictSame(changes(comparedSyncs([syncs[1], syncs[1]])), []);
});

t.test('names of transforms as ids of steps → legal ones, each once', async (t) => {
  t.equal(stepIdOf('revenue', []), 'revenue');
  t.equal(stepIdOf('Müller & Söhne', []), 'muller_sohne');
  t.equal(stepIdOf('revenue', ['revenue', 'revenue_2']), 'revenue_3');
  t.equal(stepIdOf('42', []), 'step');
  t.match(stepIdOf('x'.repeat(200), ['x'.repeat(59)]), /^[a-z][a-z0-9_-]{0,62}$/);
});

t.test('a step is removed → no other waits for it, and the graph has an arrow once', async (t) => {
  const step = (step_id: string, from: string[], after: string[] = []) => ({
    step_id,
    transform_id: step_id,
    after,
    inputs: from.map((from_step) => ({ dataset_id: `silver.demo.${from_step}`, from_step })),
  });
  const steps = [step('a', []), step('b', ['a'], ['a']), step('c', ['b'])] as unknown as Parameters<typeof without>[0];
  t.strictSame(
    stepGraph(steps).edges.map(({ from, to }) => `${from} ${to}`),
    ['a b', 'b c'],
  );
  t.strictSame(without(steps, 'a'), [
    { step_id: 'b', transform_id: 'b', after: [] },
    { step_id: 'c', transform_id: 'c', after: [] },
  ]);
});

t.test('rows ordered by a column → numbers as numbers, words in any case, nothing last either way', async (t) => {
  const rows = [
    { n: 10, w: 'b2' },
    { n: null, w: 'B10' },
    { n: 9, w: 'a' },
  ];
  const columns = [
    { name: 'n', value: ({ n }: { n: number | null }) => n },
    { name: 'w', value: ({ w }: { w: string }) => w },
  ];
  const order = (sort: string | undefined) => sortRows(rows, columns as never, sort).map((row) => rows.indexOf(row));
  t.strictSame(order('n'), [2, 0, 1]);
  t.strictSame(order('-n'), [0, 2, 1]);
  t.strictSame(order('w'), [2, 0, 1]);
  t.strictSame(order('gone'), [0, 1, 2]);
  const clicks = ['n', '-n', undefined].map((sort) => nextSort('n', sort));
  t.strictSame(clicks, ['-n', undefined, 'n']);
});

t.test(
  'a change while something is read for the first time → it is read once more, and shows the change',
  async (t) => {
    const queries = new QueryClient();
    let state = 'running';
    const { promise, resolve } = Promise.withResolvers<void>();
    const queryFn = async () => {
      const read = state;
      await promise;
      return read;
    };
    const observer = new QueryObserver(queries, { queryKey: ['demo', 'runs.list_runs', {}], queryFn });
    t.teardown(observer.subscribe(() => undefined));
    state = 'failed';
    const again = readAgain(queries, 'runs');
    resolve();
    await again;
    t.equal(observer.getCurrentResult().data, 'failed');
    queries.clear();
  },
);

t.test('a limit of a tenant → as it was chosen, in the unit of a person, and back', async (t) => {
  for (const chosen of [null, 0, 500]) t.equal(limitOf('runs_per_day', limitDraftOf('runs_per_day', chosen)), chosen);
  t.equal(limitOf('storage_bytes', limitDraftOf('storage_bytes', 3 * 1_024 ** 3)), 3 * 1_024 ** 3);
  t.equal(limitOf('storage_bytes', { how: 'number', value: 0.5 }), 1_024 ** 3 / 2);
  for (const value of ['', 0, -1, Number.NaN, 'x', Number.MAX_VALUE])
    t.equal(limitOf('concurrent_runs', { how: 'number', value }), undefined, String(value));
  const used = { runs_today: 1_200, open_runs: 3, storage_bytes: 2 * 1_024 ** 2 };
  const limits = { used, effective: { runs_per_day: null, concurrent_runs: 3, storage_bytes: 1_024 ** 3 } };
  t.equal(usedText('runs_per_day', limits), '1,200, no limit');
  t.match([usedText('concurrent_runs', limits), isReached('concurrent_runs', limits)], ['3 of 3', true]);
  t.match(
    [usedText('storage_bytes', limits), isReached('storage_bytes', limits)],
    [/^2\.?0? MiB of 1\.?0? GiB$/, false],
  );
});
