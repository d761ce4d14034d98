import t from 'tap';
import { HASTY_MS } from '../../test/until.ts';
import { commandLine } from './command-line.ts';
import { type Answer, fakeApi, problem, type Routes } from './fake-api.ts';
import { IDS, run, runs } from './shapes.ts';

const { source, runId } = IDS;
const LOGS = `GET /api/v1/sources/${source}/runs/${runId}/logs`;
const STATUS = `GET /api/v1/sources/${source}/sync/status`;
const RUN = `GET /api/v1/runs/${runId}`;
const RUN_LOGS = `${RUN}/logs`;
const line = (seq: number, more: object = {}) => ({
  ...{ seq, at: '2026-03-01T10:20:30.456Z', level: 'info', stream: null, step: 'plan', attempt: 1 },
  ...{ message: `line ${seq}`, fields: {}, untrusted: false },
  ...more,
});
const page = (items: object[], more: object = {}): Answer => ({
  status: 200,
  body: {
    ...{ items, next_page_token: null, previous_page_token: null, total: null },
    ...{ ended: false, expired: false, levels: null },
    ...more,
  },
});
const at = (status: string): Answer => ({ status: 200, body: { source_id: source, run: run(source, status) } });

/** A sync as the list of all runs shows it. */
const anyRun = (status: string): Answer => ({
  status: 200,
  body: {
    ...run(source, status),
    kind: 'source-sync',
    subject: { kind: 'source', id: source, name: 'shop' },
    worker: null,
  },
});

/** Answers in turn; the last one stays. */
const inTurn = (answers: Answer[]): Routes[string] => {
  let next = 0;
  return () => answers[Math.min(next++, answers.length - 1)] as Answer;
};

t.test('the newest lines are shown, oldest first, and say where they are from', async (t) => {
  const { weir } = commandLine(t);
  const said = line(3, { level: 'warn', stream: 'orders', step: 'connector', untrusted: true });
  const api = await fakeApi(t, {
    [STATUS]: at('succeeded'),
    [LOGS]: page([said, line(2)], { next_page_token: 'more' }),
  });
  const ran = await weir(`sources logs ${source} --limit 2 --url ${api.url}`);
  t.equal(ran.code, 0);
  t.equal(ran.stdout, '10:20:30.456 INFO  plan: line 2\n10:20:30.456 WARN  connector orders: | line 3\n');
  t.match(ran.stderr, 'Only the newest 2 lines are shown');
  t.equal(api.seen.at(-1)?.url.searchParams.get('order'), '-seq');
});

t.test('what is searched for is searched for by the server', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { [LOGS]: page([line(1)]) });
  const words = '--level error --search nope --pattern a|b --stream orders --step commit --since 2026-01-01T00:00:00Z';
  const ran = await weir(`sources logs ${source} ${runId} ${words} -o ndjson --url ${api.url}`);
  t.strictSame(JSON.parse(ran.stdout), line(1));
  t.match(Object.fromEntries(api.seen.at(-1)?.url.searchParams ?? []), {
    ...{ level: 'error', search: 'nope', pattern: 'a|b', stream: 'orders', step: 'commit' },
    from: '2026-01-01T00:00:00Z',
  });
});

t.test(
  'a log is followed over an API that restarts, and each line is shown once; the exit code is that of the run',
  async (t) => {
    for (const [status, exit] of runs) {
      const { weir } = commandLine(t);
      const api = await fakeApi(t, {
        [RUN]: anyRun(status),
        [RUN_LOGS]: inTurn([
          page([line(2), line(1)]),
          page([line(3)]),
          problem(503, 'shutting_down'),
          page([line(4)], { next_page_token: 'next' }),
          page([line(5)]),
          problem(503, 'dependency_unavailable'),
          page([]),
          page([line(6)], { ended: true }),
        ]),
      });
      const ran = await weir(`runs logs ${runId} -f -o json --url ${api.url}`);
      t.equal(ran.code, exit, status);
      const shown = ran.stdout
        .trimEnd()
        .split('\n')
        .map((text) => (JSON.parse(text) as { seq: number }).seq);
      t.strictSame(shown, [1, 2, 3, 4, 5, 6]);
      const places = api.seen.filter(({ call }) => call === RUN_LOGS).map(({ url }) => url.searchParams);
      t.strictSame(
        places.slice(1).map((one) => one.get('after') ?? one.get('page_token')),
        ['2', '3', '3', 'next', '5', '5', '5'],
      );
    }
  },
);

t.test(
  'the time limit ends the following with 124 and says how to go on; no sync and a log that is gone are told',
  async (t) => {
    const { weir } = commandLine(t);
    const api = await fakeApi(t, {
      [LOGS]: page([]),
      [STATUS]: { status: 200, body: { source_id: source, run: null } },
    });
    const ran = await weir(`sources logs ${source} ${runId} -f --timeout ${HASTY_MS}ms --url ${api.url}`);
    t.match(ran, { code: 124, stderr: new RegExp(`runs logs ${runId} -f`) });
    t.match(await weir(`sources logs ${source} --url ${api.url}`), { code: 4, stderr: /never been synced/ });
    const old = await fakeApi(t, { [LOGS]: page([], { expired: true, ended: true }) });
    t.match(await weir(`sources logs ${source} ${runId} --url ${old.url}`), { code: 0, stderr: /is gone/ });
    t.equal((await weir(`sources logs ${source} ${runId} --limit none --url ${old.url}`)).code, 2);
  },
);

t.test('a sync is read and waited for by its run id alone, and the wait ends as the sync does', async (t) => {
  for (const [status, exit] of runs) {
    const { weir } = commandLine(t);
    const api = await fakeApi(t, {
      [RUN]: anyRun('running'),
      [`GET /api/v1/sources/sync-runs/${runId}/details`]: { status: 200, body: run(source, 'running') },
      [STATUS]: inTurn([at('running'), problem(503, 'shutting_down'), at(status)]),
    });
    const read = await weir(`runs get ${runId} -o json --url ${api.url}`);
    t.match([read.code, JSON.parse(read.stdout)], [0, { run_id: runId, status: 'running' }]);
    const people = await weir(`sources runs get ${runId} -o table --url ${api.url}`);
    t.match(people.stdout, /^image +\{"reference":"files:1","digest":"sha256:0a".*\}$/m, 'in one line');
    const ended = await weir(`runs wait ${runId} -o json --url ${api.url}`);
    t.match([ended.code, JSON.parse(ended.stdout)], [exit, { run_id: runId, status }], status);
  }
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { [RUN]: anyRun('running'), [STATUS]: at('running') });
  const late = await weir(`runs wait ${runId} --timeout ${HASTY_MS}ms --url ${api.url}`);
  t.match(late, { code: 124, stderr: new RegExp(`weir runs wait ${runId}`) });
  t.equal((await weir(`runs wait ${IDS.other} --url ${api.url}`)).code, 4);
});

t.test('a run that is no sync is waited for too, and the wait ends as the run does', async (t) => {
  const subject = { kind: 'source', id: source, name: 'shop' };
  for (const [status, exit] of runs) {
    const { weir } = commandLine(t);
    const other = (now: string): Answer => ({
      status: 200,
      body: { ...run(source, now), kind: 'sync_verify', subject },
    });
    const api = await fakeApi(t, {
      [RUN]: inTurn([other('running'), other('running'), problem(503, 'shutting_down'), other(status)]),
    });
    const ended = await weir(`runs wait ${runId} -o json --url ${api.url}`);
    t.match([ended.code, JSON.parse(ended.stdout)], [exit, { run_id: runId, status }], status);
    const waits = api.seen.map(({ url }) => url.searchParams.get('wait'));
    t.strictSame(waits, [null, '0', '10', '0'], 'the first answer at once, then the end; after no answer one at once');
  }
});

t.test('a transform by name → the log of its newest run, or of a run of its own', async (t) => {
  const { weir } = commandLine(t);
  const runs = `GET /api/v1/transforms/${IDS.source}/runs`;
  const api = await fakeApi(t, {
    'GET /api/v1/transforms': page([{ transform_id: IDS.source, name: 'sums' }]),
    [runs]: inTurn([page([{ run_id: runId }]), page([])]),
    [`${runs}/${runId}`]: { status: 200, body: { run_id: runId } },
    [`${runs}/${IDS.other}`]: problem(404, 'not_found'),
    [RUN_LOGS]: inTurn([page([line(2), line(1)]), page([line(3)])]),
  });
  const logs = `transforms logs sums --url ${api.url}`;
  const newest = await weir(`${logs} --step commit`);
  t.match(newest, { code: 0, stdout: /plan: line 1\n.+plan: line 2\n$/ });
  t.equal(api.seen.at(-1)?.url.searchParams.get('step'), 'commit');
  t.match(await weir(`${logs} ${runId}`), { code: 0, stdout: /line 3/ });
  t.equal((await weir(`${logs} ${IDS.other}`)).code, 4, 'a run of another transform');
  t.match(await weir(logs), { code: 4, stderr: /never been run[\s\S]+weir transforms trigger sums -w/ });
});

t.test('a log of which nothing is shown says why, and a wrong --since what it takes', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { [LOGS]: page([], { ended: true }) });
  const logs = `sources logs ${source} ${runId} --url ${api.url}`;
  t.strictSame(await weir(`${logs} --search nothing`), { code: 0, stdout: '', stderr: 'No line of this log fits.\n' });
  t.strictSame(await weir(logs), { code: 0, stdout: '', stderr: 'This log has no lines.\n' });
  t.strictSame(await weir(`${logs} --search nothing -q`), { code: 0, stdout: '', stderr: '' });
  t.match(JSON.parse((await weir(`${logs} --search nothing -o json`)).stdout), { items: [] });
  const wrong = await weir(`${logs} --since abc`);
  t.match(wrong, {
    code: 2,
    stderr: /--since must be a time such as 2026-01-31T08:00:00Z, or how long ago such as 10m/,
  });
});
