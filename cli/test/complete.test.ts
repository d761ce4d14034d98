import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { commands } from '../src/commands.ts';
import { completions } from '../src/line/complete.ts';
import { commandLine } from './command-line.ts';
import { type FakeApi, fakeApi, problem, type Routes } from './fake-api.ts';

const MAIN = path.resolve(import.meta.dirname, '../src/main.ts');

/** What may follow these words, with names that an argument of `names` has. */
const after = (line: string, names: Record<string, string[]> = {}) =>
  completions(line.split(' '), commands(), async (argument) => names[argument] ?? []);

const page = (items: object[]) => ({
  status: 200,
  body: { items, next_page_token: null, total_estimate: items.length },
});

t.test('words, options and the values of options with a closed set, from what the commands declare', async (t) => {
  t.strictSame(await after('so'), ['sources']);
  t.strictSame(await after('sources sy'), ['sync']);
  t.strictSame(await after('sources streams s'), ['set', 'state']);
  t.ok((await after('sources sync id --w')).includes('--wait'));
  t.strictSame(await after('nothing '), []);
  t.strictSame(await after('runs list --status s'), ['skipped', 'succeeded']);
  t.strictSame(await after('runs list --status=su'), ['--status=succeeded'], 'as zsh and fish have it');
  t.strictSame(await after('runs list --status = su'), ['succeeded'], 'as bash takes it apart');
  t.strictSame(await after('runs list --status ='), await after('runs list --status '), 'before the first letter');
  t.strictSame(await after('sources history revenue -o j'), ['json']);
  t.strictSame(await after('completion '), ['bash', 'fish', 'zsh']);
  t.strictSame(await after('runs list --limit '), [], 'any number');
  t.ok(
    (await after('runs list --status failed --k')).includes('--kind'),
    'the value of an option is no word of the command',
  );
});

t.test('names → of what the argument is, each once, and never for what is new', async (t) => {
  const names = { source_id: ['revenue', 'returns'], '/sources/:source_id': ['revenue'], tenant: ['acme', 'globex'] };
  t.strictSame(await after('sources sync re', names), ['returns', 'revenue']);
  t.strictSame(await after('sources sync revenue ', names), ['returns'], 'the next of several');
  t.strictSame(await after('sources get ', names), ['revenue']);
  t.strictSame(await after('sources get revenue ', names), [], 'it takes one');
  t.strictSame(await after('tenants use ', names), ['acme', 'globex']);
  t.strictSame(await after('sources list --tenant g', names), ['globex']);
  t.strictSame(await after('tenants create ', names), []);
});

const ID = '0198c0de-0000-7000-8000-000000000001';
const ROUTES: Routes = {
  'GET /api/v1/sources': page([
    { source_id: ID, name: 'revenue' },
    { source_id: ID, name: 'two\nlines' },
  ]),
  'GET /api/v1/transforms': page([{ transform_id: ID, name: 'by_day' }]),
  'GET /api/v1/pipelines': page([{ pipeline_id: ID, name: 'nightly' }]),
  'GET /api/v1/datasets': page([{ dataset_id: 'bronze.demo.orders' }]),
  'GET /api/v1/patterns/discover': page([{ pattern_id: 'postgres-tables' }]),
  'GET /api/v1/me': { status: 200, body: { tenants: [{ alias: 'acme', roles: [] }] } },
};

/** Completes a line against an API, as one tenant. */
function completing(t: Test, { url }: Pick<FakeApi, 'url'>) {
  const { weir, home } = commandLine(t);
  const env = { WEIR_URL: url, WEIR_TENANT: 'acme', WEIR_TOKEN: 'a-token' };
  const complete = (line: string) => weir(['__complete', ...line.split(' ')], { env });
  return { complete, weir, home, env };
}

t.test('names come from the API, for the tenant of the line, and are kept nowhere', async (t) => {
  const api = await fakeApi(t, ROUTES);
  const { complete } = completing(t, api);
  t.strictSame((await complete('sources sync ')).stdout, 'revenue\n', 'a name that would break the line is left out');
  t.strictSame((await complete('sources get r')).stdout, 'revenue\n');
  t.strictSame((await complete('transforms trigger ')).stdout, 'by_day\n');
  t.strictSame((await complete('transforms runs ')).stdout, 'by_day\n');
  t.strictSame((await complete('pipelines get ')).stdout, 'nightly\n');
  t.strictSame((await complete('datasets preview bronze.demo.o')).stdout, 'bronze.demo.orders\n');
  t.equal(api.seen.at(-1)?.url.searchParams.get('search'), 'o');
  t.strictSame((await complete('sources create --pattern ')).stdout, 'postgres-tables\n');
  t.strictSame((await complete('tenants use ')).stdout, 'acme\n');
  await complete('sources sync --tenant globex ');
  t.equal(api.seen.at(-1)?.headers['x-tenant-id'], 'globex');
  const asked = api.seen.length;
  await complete('sources sync ');
  t.equal(api.seen.length, asked + 1, 'asked again each time');
});

t.test(
  'no answer, a refusal, a profile that is missing or an answer that is not ours → nothing, and no word of it',
  async (t) => {
    const refusing = await fakeApi(t, {
      'GET /api/v1/sources': problem(403, 'tenant_not_allowed'),
      'GET /api/v1/transforms': { status: 200, raw: '<html>' },
    });
    const { complete } = completing(t, refusing);
    const nothing = { code: 0, stdout: '', stderr: '' };
    t.strictSame(await complete('sources sync '), nothing);
    t.strictSame(await complete('transforms trigger '), nothing);
    t.strictSame(await complete('sources sync --profile absent '), nothing);
    await refusing.stop();
    t.strictSame(await complete('sources sync '), nothing, 'no server');
    t.match(await complete('sources sync revenue --w'), { stdout: '--wait\n' }, 'what needs no server is there');
  },
);

t.test('a token of the environment → not to an address that a file of the folder names', async (t) => {
  const api = await fakeApi(t, ROUTES);
  const { weir } = commandLine(t);
  const cwd = t.testdir({ 'weir.yaml': `url: ${api.url}\n` });
  await weir('__complete sources sync '.split(' '), { cwd, env: { WEIR_TOKEN: 'a-token' } });
  t.equal(api.seen.length, 0);
});

t.test('profiles come from their file', async (t) => {
  const { weir } = completing(t, await fakeApi(t, {}));
  const file = path.join(t.testdir({ weir: { 'profiles.json': '{"profiles":{"work":{"url":"http://127.0.0.1"}}}' } }));
  t.equal((await weir('__complete profiles use '.split(' '), { env: { XDG_CONFIG_HOME: file } })).stdout, 'work\n');
});

t.test('each shell has a script, and bash completes a name with it, within 3 seconds of the processor', async (t) => {
  const api = await fakeApi(t, { 'GET /api/v1/datasets': page([{ dataset_id: 'bronze.demo.Müller & Söhne' }]) });
  const { weir, env, home } = completing(t, api);
  for (const shell of ['bash', 'zsh', 'fish'])
    t.match(await weir(`completion ${shell}`), { code: 0, stdout: /__complete/ });
  for (const shell of ['tcsh', 'constructor']) t.equal((await weir(`completion ${shell}`)).code, 2);
  const script = `${(await weir('completion bash')).stdout}
weir() { "$NODE" --conditions=@weir/source --disable-warning=ExperimentalWarning "$MAIN" "$@"; }
COMP_WORDS=(weir datasets preview bronze.demo.M); COMP_CWORD=3
_weir; echo "\${#COMPREPLY[@]} \${COMPREPLY[0]}"; times`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...env, HOME: home, PATH: process.env.PATH, LC_ALL: 'C.UTF-8', NODE: process.execPath, MAIN },
  });
  const [reply, , ofChildren = ''] = stdout.split('\n');
  t.equal(reply, String.raw`1 bronze.demo.Müller\ \&\ Söhne`);
  const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  // Of the processor, started from the source; the bundle takes a third of it.
  t.ok((seconds[0] ?? 0) + (seconds[1] ?? 0) < 3, ofChildren);
});
