import t from 'tap';
import { EXIT_CODES, exitOfRun, exitOfSeveral, exitOfStatus } from '../src/exit-codes.ts';
import { commandLine } from './command-line.ts';
import { type Answer, fakeApi, problem, type Routes } from './fake-api.ts';
import { IDS, run, runs, sources } from './shapes.ts';

const { source, other, runId } = IDS;

t.test('the numbers are those that scripts rely on', async (t) => {
  const numbers = Object.values(EXIT_CODES).map(({ code }) => code);
  t.strictSame(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 69, 70, 124, 130]);
});

t.test('help exit-codes prints every code with its meaning', async (t) => {
  const { weir } = commandLine(t);
  const { code, stdout } = await weir('help exit-codes');
  t.equal(code, 0);
  for (const { code: number, meaning } of Object.values(EXIT_CODES)) {
    t.match(stdout, new RegExp(`^ *${number} .*${meaning}$`, 'm'));
  }
});

const get = async (t: Parameters<typeof fakeApi>[0], answer: Answer) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { [`GET /api/v1/sources/${source}`]: answer });
  return weir(`sources get ${source} --url ${api.url}`);
};

t.test('an answer of the API decides the code', async (t) => {
  const cases: [number, string, number][] = [
    [401, 'unauthenticated', 3],
    [403, 'forbidden_role', 3],
    [404, 'not_found', 4],
    [409, 'conflict', 5],
    [412, 'precondition_failed', 5],
    [400, 'validation_failed', 2],
    [422, 'source_config_invalid', 6],
    [500, 'internal', 1],
    [502, 'dataset_unreadable', 1],
    [503, 'dependency_unavailable', 69],
  ];
  for (const [status, code, exit] of cases) {
    const ran = await get(t, problem(status, code, { hint: 'The next step.' }));
    t.equal(ran.code, exit, `${status} → ${exit}`);
    t.equal(ran.stdout, '');
    const hint = status === 401 ? 'weir login signs in; WEIR_TOKEN carries a token in a pipeline' : 'The next step.';
    t.match(ran.stderr, `error: Detail of ${code}.\nhint: ${hint}\ncode: ${code}  trace: abc123  docs: http`);
  }
});

t.test('0: an answer that is well is done', async (t) => {
  const ran = await get(t, { status: 200, body: sources(source, 'shop') });
  t.equal(ran.code, 0);
  t.match(ran.stdout, /^name +shop$/m);
});

t.test('6: a document that the API refuses, or that is none', async (t) => {
  const { weir, home } = commandLine(t);
  const refused = problem(400, 'validation_failed', { errors: [{ pointer: '/source_config/path', code: 'type' }] });
  const api = await fakeApi(t, { 'POST /api/v1/sources': refused });
  const create = `sources create --pattern files --name shop --url ${api.url}`;
  const sent = await weir(`${create} --set path=1`);
  t.equal(sent.code, 6);
  t.match(sent.stderr, '  /source_config/path: type\n');
  const misnamed = problem(400, 'validation_failed', { errors: [{ pointer: '/name', code: 'pattern' }] });
  const other = await fakeApi(t, { 'POST /api/v1/sources': misnamed });
  const ran = await weir(`sources create --pattern files --name Shop --url ${other.url} --set path=1`);
  t.match(ran.stderr, /^ {2}\/name: pattern \(A lower-case letter, .*\)$/m, 'what the place takes');
  const list = await weir(`${create} -f -`, { stdin: '- a list' });
  t.equal(list.code, 6);
  t.match(list.stderr, 'must hold one object');
  t.equal((await weir(`${create} -f ${home}/absent.yaml`)).code, 2);
});

t.test('2: a command line that is wrong says what is near', async (t) => {
  const { weir } = commandLine(t);
  t.match(await weir('sourcs list'), { code: 2, stderr: /Did you mean: weir sources\n/ });
  t.match(await weir('sources lst'), { code: 2, stderr: /Did you mean: weir sources list\n/ });
  t.match(await weir('sources list --limt 3'), { code: 2, stderr: /Did you mean --limit/ });
  t.match(await weir('sources list -o xml'), { code: 2, stderr: /expected one of/ });
  t.match(await weir('sources get'), { code: 2 });
  t.match(await weir('sources list --timeout soon'), { code: 2, stderr: /--timeout must be a duration/ });
  t.match(await weir('sources list --profile nowhere'), { code: 2, stderr: /There is no profile nowhere/ });
});

t.test('2: what destroys asks first, and names its target', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { [`DELETE /api/v1/sources/${source}`]: { status: 204 } });
  const line = `sources delete ${source} --url ${api.url} --tenant acme`;
  const asked = await weir(line);
  t.match(asked, { code: 2, stderr: new RegExp(`${source} of acme at 127.0.0.1:`) });
  t.equal(api.seen.length, 0);
  t.equal((await weir(`${line} --yes`)).code, 0);
  t.equal(api.seen.length, 1);
});

t.test('69: nobody listens, nothing is configured, or the answer is not ours', async (t) => {
  const { weir } = commandLine(t);
  t.match(await weir('sources list'), { code: 69, stderr: /hint: weir dev up/ });
  const api = await fakeApi(t, { 'GET /api/v1/sources': { status: 200, raw: '<html>' } });
  t.equal((await weir(`sources list --url ${api.url}`)).code, 69);
  await api.stop();
  t.match(await weir(`sources list --url ${api.url}`), { code: 69, stderr: /does not answer \(ECONNREFUSED\)/ });
});

t.test('70: a bug shows no stack trace unless --debug asks for it', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { 'GET /api/v1/datasets/a.b.c/preview': { status: 200, body: {} } });
  const plain = await weir(`datasets preview a.b.c --url ${api.url}`);
  t.equal(plain.code, 70);
  t.notMatch(plain.stderr, /\n +at /);
  t.match((await weir(`datasets preview a.b.c --url ${api.url} --debug`)).stderr, /\n +at /);
});

const syncRoutes = (id: string, status: string): Routes => ({
  [`POST /api/v1/sources/${id}/sync`]: { status: 202, body: { workflow_id: 'w', run_id: runId } },
  [`GET /api/v1/sources/${id}/sync/status`]: { status: 200, body: { source_id: id, run: run(id, status) } },
});

t.test('1 and 8: a run that fails or is cancelled ends the wait with its reason', async (t) => {
  for (const [status, exit] of runs) {
    const { weir } = commandLine(t);
    const api = await fakeApi(t, syncRoutes(source, status));
    const ran = await weir(`sources sync ${source} -w -o json --url ${api.url}`);
    t.equal(ran.code, exit, `${status} → ${exit}`);
    t.equal(JSON.parse(ran.stdout).status, status);
    if (status === 'failed') t.match(ran.stderr, '"code":"csv_row_too_wide"');
  }
});

t.test('9: several ids with different results', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { ...syncRoutes(source, 'succeeded'), ...syncRoutes(other, 'failed') });
  t.equal((await weir(`sources sync ${source} ${other} -w --url ${api.url}`)).code, 9);
  t.equal((await weir(`sources sync ${source} ${source} -w --url ${api.url}`)).code, 0);
  t.equal((await weir(`sources sync ${other} ${other} -w --url ${api.url}`)).code, 1);
});

t.test('7 stays kept for commands that tell differences; pure maps answer the rest', async (t) => {
  t.equal(EXIT_CODES.differences.code, 7);
  t.equal(exitOfStatus(400, true), 'invalid');
  t.equal(exitOfStatus(418, false), 'failed');
  t.equal(exitOfRun('skipped'), 'ok');
  t.equal(exitOfSeveral([]), 'ok');
  t.equal(exitOfSeveral(['failed', 'ok']), 'mixed');
});
