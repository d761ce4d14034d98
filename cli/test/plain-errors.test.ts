import { type Endpoint, kernelProblems, type ProblemType, pathNames, runProblems } from '@weir/kernel/contract';
import { Cli } from 'clipanion';
import t from 'tap';
import { endpointsOf } from '../src/command/endpoint-flags.ts';
import { commandOf } from '../src/command/next-commands.ts';
import { commands } from '../src/commands.ts';
import { CONTRACTS } from '../src/contracts.ts';
import { commandLine } from './command-line.ts';
import { fakeApi, problem } from './fake-api.ts';

const ID = '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90';
const HTTP = /\b(GET|POST|PUT|PATCH|DELETE) \/|openapi\.json/;

t.test('every step that a problem may name → a command that the parser takes, with its ids in place', async (t) => {
  const endpoints: Endpoint[] = CONTRACTS.flatMap((contract) => endpointsOf(contract));
  const tables = [kernelProblems, runProblems].flatMap((table): ProblemType[] => Object.values(table));
  const problems = new Set([...tables, ...endpoints.flatMap(({ errors = [] }) => errors)]);
  const cli = new Cli({ binaryName: 'weir' });
  for (const command of commands()) cli.register(command);
  const steps = [...problems].flatMap(({ entry }) => entry.next ?? []);
  t.ok(steps.length > 15);
  for (const { operation, params = {}, text } of steps) {
    const path = pathNames(endpoints.find(({ id }) => id === operation)?.path ?? '');
    const filled = Object.entries(params).map(([name, value]) => [name, /^\{/.test(value) ? ID : value]);
    const line = commandOf({ operation, text, params: Object.fromEntries(filled) }) ?? '';
    t.match(line, /^weir /, operation);
    t.notMatch(line, /[{}<>]/, operation);
    if (path.length > 0) t.match(line, ID, operation);
    t.doesNotThrow(() => cli.process(line.split(' ').slice(1)), line);
  }
  for (const { entry } of problems) t.notMatch(entry.hint, HTTP, entry.code);
});

t.test('parameters of a step → words, flags and quotes; what no command makes is a call of the API', (t) => {
  const line = (operation: string, params: Record<string, string>) => commandOf({ operation, params, text: 'X' });
  t.equal(line('runs.list_runs', { status: 'running' }), 'weir runs list --status running');
  t.equal(line('platform.get_tenant', { alias: 'a b' }), 'weir api GET /tenants/a%20b');
  t.equal(line('datasets.get', { dataset_id: "it's" }), `weir datasets get 'it'\\''s'`);
  t.equal(line('sources.start_discovery', { source_id: ID }), `weir sources discover ${ID}`);
  t.equal(line('x.unknown', {}), undefined);
  t.end();
});

t.test(
  'a value that breaks a rule → the flag and the rule, on one line each; steps as commands below them',
  async (t) => {
    const { weir } = commandLine(t);
    const refusal = problem(400, 'validation_failed');
    const errors = [
      { pointer: '/query/limit', code: 'maximum', message: 'must be from 1 to 500' },
      { pointer: '', code: 'additionalProperties', message: 'has an unknown member `pth`; did you mean `path`?' },
      { pointer: '/name', code: 'format' },
    ];
    const next = [
      { operation: 'sources.list_patterns', params: {}, text: 'List the patterns' },
      { operation: 'x.unknown', params: {}, text: 'Do what this program does not know' },
    ];
    const fake = await fakeApi(t, {
      'GET /api/v1/sources': { ...refusal, body: { ...(refusal.body as object), errors, next, hint: 'Look.' } },
      'GET /api/v1/runs': { ...refusal, body: { ...(refusal.body as object), next: next.slice(1), hint: 'Look.' } },
    });
    const { stderr, code } = await weir(`sources list --limit 501 --url ${fake.url}`);
    t.equal(code, 2);
    t.match(
      stderr,
      /\n {2}--limit must be from 1 to 500.*\n {2}The body has an unknown member `pth`; did you mean `path`\?\n/,
    );
    t.match(stderr, '\n  /name: format\nnext:\n  List the patterns:\n    weir patterns list\ncode: ');
    t.notMatch(stderr, /hint|does not know/);
    t.match((await weir(`runs list --url ${fake.url}`)).stderr, '\nhint: Look.\n');
    const json = JSON.parse((await weir(`sources list -o json --url ${fake.url}`)).stderr);
    t.match(json.error.next, [
      { operation: 'sources.list_patterns', command: 'weir patterns list' },
      { text: next[1]?.text },
    ]);
  },
);

t.test('an error on a narrow terminal → sentences in lines that fit, commands whole', async (t) => {
  const { weir } = commandLine(t);
  const next = [{ operation: 'sources.list_streams', params: { source_id: ID }, text: 'Choose the streams to enable' }];
  const message = 'must be one of the words that this endpoint knows and that are many, such as `this` and `that`';
  const errors = [{ pointer: '/query/status', code: 'enum', message }];
  const refusal = problem(409, 'no_streams_enabled', { errors, next, hint: 'Look.' });
  const fake = await fakeApi(t, { 'GET /api/v1/runs': refusal });
  const { stderr } = await weir(`runs list --url ${fake.url}`, { env: { COLUMNS: '60' } });
  const lines = stderr.trimEnd().split('\n');
  t.match(stderr, `\n    weir sources streams list ${ID}\n`);
  t.strictSame(
    lines.filter((line) => line.length > 60 && !/ weir |docs:/.test(line)),
    [],
  );
  t.match(stderr, /\n {2}--status must be .*\n {4}\S/);
});
