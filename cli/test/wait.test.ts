import { Writable } from 'node:stream';
import t from 'tap';
import { HASTY_MS } from '../../test/until.ts';
import { plainProgress } from '../src/run/progress.ts';
import { commandLine } from './command-line.ts';
import { type Answer, fakeApi, problem, type Routes } from './fake-api.ts';
import { IDS, run, runs, sources } from './shapes.ts';

const { source, runId } = IDS;
const START = `POST /api/v1/sources/${source}/sync`;
const STATUS = `GET /api/v1/sources/${source}/sync/status`;
const accepted: Answer = { status: 202, body: { workflow_id: 'w', run_id: runId, warning: null } };
const at = (status: string): Answer => ({ status: 200, body: { source_id: source, run: run(source, status) } });

/** Answers in turn; the last one stays. */
const inTurn = (answers: Answer[]): Routes[string] => {
  let next = 0;
  return () => answers[Math.min(next++, answers.length - 1)] as Answer;
};

t.test('the wait ends at any terminal state, and asks for that run only', async (t) => {
  for (const [status, exit] of runs) {
    const { weir } = commandLine(t);
    const api = await fakeApi(t, { [START]: accepted, [STATUS]: inTurn([at('pending'), at('running'), at(status)]) });
    const ran = await weir(`sources sync ${source} -w --url ${api.url}`);
    t.equal(ran.code, exit, status);
    t.equal(api.seen.at(-1)?.url.searchParams.get('run_id'), runId);
    t.match(ran.stdout, 'bronze.demo.shop__orders');
    t.notMatch(ran.stdout, '▸');
    t.match(ran.stderr, '▸ sync');
    if (status !== 'failed') continue;
    const page = `${api.url}/docs/errors/csv_row_too_wide`;
    t.match(ran.stderr, `error: A row has too many fields.\ncode: csv_row_too_wide  docs: ${page}\n`);
  }
});

t.test('without -w the start is answered at once', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { [START]: accepted });
  t.match(await weir(`sources sync ${source} --url ${api.url} -o json`), { code: 0, stdout: new RegExp(runId) });
  const shown = await weir(`sources sync ${source} --url ${api.url}`);
  t.match(shown.stderr, `watch: weir sources logs ${source} -f; wait: weir runs wait ${runId}`);
  t.notMatch(shown.stdout, 'warning');
});

t.test('an API that restarts is waited for', async (t) => {
  const { weir } = commandLine(t);
  const away = problem(503, 'shutting_down');
  const api = await fakeApi(t, { [START]: accepted, [STATUS]: inTurn([at('running'), away, away, at('succeeded')]) });
  t.equal((await weir(`sources sync ${source} -w --url ${api.url}`)).code, 0);
});

t.test('a run that is gone ends the wait at once with 4', async (t) => {
  const { weir } = commandLine(t);
  const gone = await fakeApi(t, { [START]: accepted, [STATUS]: inTurn([at('running'), problem(404, 'not_found')]) });
  t.equal((await weir(`sources sync ${source} -w --url ${gone.url}`)).code, 4);
  const none: Answer = { status: 200, body: { source_id: source, run: null } };
  const empty = await fakeApi(t, { [START]: accepted, [STATUS]: none });
  t.equal((await weir(`sources sync ${source} -w --url ${empty.url}`)).code, 4);
});

t.test('the time limit ends the wait with 124 and says how to wait again', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { [START]: accepted, [STATUS]: at('running') });
  const ran = await weir(`sources sync ${source} -w --timeout ${HASTY_MS}ms --url ${api.url}`);
  t.match(ran, { code: 124, stderr: new RegExp(`weir runs wait ${runId}`) });
  t.equal(ran.stdout, '');
});

t.test('Ctrl-C detaches with 130, says how to wait again, and the run goes on', async (t) => {
  const { weir } = commandLine(t);
  const interrupt = new AbortController();
  const api = await fakeApi(t, {
    [START]: accepted,
    [STATUS]: () => {
      setImmediate(() => interrupt.abort());
      return at('running');
    },
  });
  const ran = await weir(`sources sync ${source} -w --url ${api.url}`, { interrupted: interrupt.signal });
  t.match(ran, { code: 130, stderr: new RegExp(`Detached; the run goes on.\nhint: .*weir runs wait ${runId}`) });
  t.strictSame(new Set(api.seen.map(({ call }) => call)), new Set([START, STATUS]));
});

t.test('--run waits for a run that was started before', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { [STATUS]: at('succeeded') });
  t.equal((await weir(`sources sync ${source} --run ${runId} -w --url ${api.url}`)).code, 0);
});

t.test('ndjson streams every state, then the final record', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { [START]: accepted, [STATUS]: inTurn([at('running'), at('succeeded')]) });
  const lines = (await weir(`sources sync ${source} -w -o ndjson --url ${api.url}`)).stdout.trim().split('\n');
  const read = lines.map((line) => JSON.parse(line) as { event?: string; status: string });
  t.strictSame(
    read.map(({ event, status }) => [event, status]),
    [
      ['progress', 'running'],
      ['progress', 'succeeded'],
      [undefined, 'succeeded'],
    ],
  );
});

t.test('create with --discover -w ends with the source, or with the reason of the discovery', async (t) => {
  const found = (status: string) => ({
    status: 200,
    body: { ...run(source, status), pattern_id: 'files', streams: null, warnings: [] },
  });
  for (const [status, exit] of [
    ['succeeded', 0],
    ['failed', 1],
  ] as const) {
    const { weir } = commandLine(t);
    const api = await fakeApi(t, {
      'POST /api/v1/sources': { status: 201, body: sources(source, 'shop') },
      'POST /api/v1/sources/discover': accepted,
      'GET /api/v1/sources/discover/status/w': inTurn([found('running'), found(status)]),
      [`GET /api/v1/sources/${source}`]: { status: 200, body: sources(source, 'shop') },
    });
    const line = `sources create --pattern files --name shop --set path=/d --set deep.key=3 --discover -w --url ${api.url}`;
    const ran = await weir(line);
    t.equal(ran.code, exit);
    t.equal(/shop/.test(ran.stdout), exit === 0);
    t.equal(/shop stays as a draft: weir sources update shop, or delete shop/.test(ran.stderr), exit !== 0);
    t.strictSame(api.seen[0]?.body, {
      name: 'shop',
      pattern_id: 'files',
      source_config: { path: '/d', deep: { key: 3 } },
    });
    t.strictSame(api.seen[1]?.body, { source_id: source });
  }
});

t.test('streams set changes only what was said, by name or id', async (t) => {
  const { weir } = commandLine(t);
  const stream = { stream_id: IDS.other, name: 'orders', namespace: 'shop', enabled: false };
  const api = await fakeApi(t, {
    [`GET /api/v1/sources/${source}/streams`]: {
      status: 200,
      body: { items: [stream], next_page_token: null, total: 1 },
    },
    [`PATCH /api/v1/sources/${source}/streams/${IDS.other}`]: { status: 200, body: stream },
  });
  const set = `sources streams set ${source} shop.orders`;
  t.equal((await weir(`${set} --enable --sync-mode incremental --primary-key id,at.day --url ${api.url}`)).code, 0);
  t.strictSame(api.seen.at(-1)?.body, {
    enabled: true,
    sync_mode: 'incremental',
    primary_key: [['id'], ['at', 'day']],
  });
  t.equal((await weir(['sources', 'streams', 'set', source, 'orders', '--cursor', '', '--url', api.url])).code, 0);
  t.strictSame(api.seen.at(-1)?.body, { cursor_field: null });
  t.equal((await weir(`${set} --url ${api.url}`)).code, 2);
  t.match(await weir(`sources streams set ${source} shop.order --enable --url ${api.url}`), {
    code: 4,
    stderr: /Did you mean shop.orders/,
  });
});

t.test('without a terminal a line comes at each new phase and every ten seconds', async (t) => {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  let now = 0;
  const progress = plainProgress(stream, () => now);
  for (const [time, phase] of [
    [0, 'a'],
    [5_000, 'a'],
    [9_999, 'a'],
    [10_000, 'a'],
    [10_001, 'b'],
    [10_002, 'b'],
  ] as const) {
    now = time;
    progress.show(phase, [`${phase} ${time}`]);
  }
  t.strictSame(lines, ['a 0\n', 'a 10000\n', 'b 10001\n']);
});
