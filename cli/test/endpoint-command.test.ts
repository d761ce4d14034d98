import { Readable, Writable } from 'node:stream';
import { type TSchema, Type } from '@sinclair/typebox';
import * as kernel from '@weir/kernel/contract';
import * as datasets from '@weir/plugin-datasets/contract';
import * as identity from '@weir/plugin-identity/contract';
import * as platform from '@weir/plugin-platform/contract';
import * as runs from '@weir/plugin-runs/contract';
import * as sources from '@weir/plugin-sources/contract';
import * as transforms from '@weir/plugin-transforms/contract';
import * as webhooks from '@weir/plugin-webhooks/contract';
import * as engine from '@weir/plugin-workflow-engine/contract';
import { Cli } from 'clipanion';
import t, { type Test } from 'tap';
import { cliOf } from '../src/command/cli-of.ts';
import { type CliContext, WeirCommand } from '../src/command/command.ts';
import { commandsOf } from '../src/command/endpoint-command.ts';
import { endpointsOf, GLOBAL_FLAGS, membersOf } from '../src/command/endpoint-flags.ts';
import { knownCommands } from '../src/line/known-command.ts';
import { ending } from './command-line.ts';
import { type FakeApi, fakeApi, type Routes } from './fake-api.ts';
import { IDS } from './shapes.ts';

const { Closed, endpoint, Id, listQuery, Nullable, OneOf, Page } = kernel;
const write = kernel.permission('gates:write', 'admin');
const Gate = Type.Object({ gate_id: Id, name: Type.String(), side: Type.Object({ colour: Type.String() }) });
const params = Closed({ gate_id: Id });

/** A domain of a third party: one noun, and one of each kind of call. */
const gates = {
  listGates: endpoint({
    id: 'gates.list_gates',
    method: 'GET',
    path: '/gates',
    summary: 'List gates',
    access: write,
    query: listQuery(['name'], { name: Type.Optional(Type.String()) }),
    response: Page(Gate),
    cli: { words: 'gates list', columns: ['name', 'side.colour'] },
  }),
  createGate: endpoint({
    id: 'gates.create_gate',
    method: 'POST',
    path: '/gates',
    summary: 'Make a gate',
    access: write,
    body: Closed({
      name: Type.String(),
      width: Type.Integer({ description: 'Metres' }),
      keepers: Type.Optional(Type.Array(Type.String())),
      kind: Type.Optional(OneOf(['swing', 'slide'])),
      open: Type.Optional(Type.Boolean()),
      url: Type.Optional(Type.String()),
      note: Type.Optional(Nullable(Type.String())),
      secret: Type.Optional(Type.String()),
      side: Type.Optional(Closed({ colour: Type.String() })),
    }),
    status: 201,
    shownOnce: ['key'],
    response: Type.Object({ ...Gate.properties, key: Type.String() }),
    cli: { words: 'gates create', flags: { width: 'metres' } },
  }),
  deleteGate: endpoint({
    id: 'gates.delete_gate',
    method: 'DELETE',
    path: '/gates/:gate_id',
    summary: 'Delete a gate',
    access: write,
    params,
    status: 204,
    cli: 'gates delete',
  }),
  paintGate: endpoint({
    id: 'gates.paint_gate',
    method: 'POST',
    path: '/gates/:gate_id/paint',
    summary: 'Paint a gate',
    access: write,
    params,
    status: 202,
    response: kernel.Accepted,
    cli: 'gates paint',
  }),
};

const gate = { gate_id: IDS.source, name: 'north', side: { colour: 'red' } };
const page = (items: object[]) => ({ status: 200, body: { items, next_page_token: null, total: null } });

/** Runs commands of the gates against a fake API; answers the exit code and what was printed. */
async function gateLine(t: Test, routes: Routes) {
  const api: FakeApi = await fakeApi(t, routes);
  const cli = new Cli<CliContext>({ binaryName: 'weir' });
  for (const command of commandsOf(gates)) cli.register(command);
  const home = t.testdir({});
  const weir = async (words: string[], stdin = '') => {
    const said = { out: '', err: '' };
    const into = (part: 'out' | 'err') =>
      new Writable({
        write(chunk, _encoding, done) {
          said[part] += String(chunk);
          done();
        },
      });
    const context = {
      ...{ env: { HOME: home }, cwd: home, root: home, interrupted: new AbortController().signal, colorDepth: 1 },
      ...{ stdin: Readable.from([stdin]), stdout: into('out'), stderr: into('err') },
    } as unknown as CliContext;
    const command = cli.process([...words, '--url', api.url, '--tenant', 'acme'], context);
    command.context = context;
    return { code: await command.validateAndExecute(), ...said };
  };
  return { weir, seen: api.seen, cli };
}

t.test('scalar members of a body are flags, a document and settings lie below them', async (t) => {
  const { weir, seen } = await gateLine(t, { 'POST /api/v1/gates': { status: 201, body: { ...gate, key: 'k' } } });
  const made = await weir(
    ['gates', 'create', '-f', '-', '--set', 'side.colour=blue', '--name', 'north', '--metres', '4', '--no-open'].concat(
      ['--keepers', 'ada', '--keepers', 'mia', '--gate-url', 'https://gate.example', '--note', ''],
    ),
    'name: south\nwidth: 1\nsecret: hush\n',
  );
  t.match(made, { code: 0, out: /name +north/, err: /the key is shown this one time/ });
  t.strictSame(seen[0]?.body, {
    ...{ name: 'north', width: 4, secret: 'hush', side: { colour: 'blue' }, keepers: ['ada', 'mia'], open: false },
    ...{ url: 'https://gate.example', note: null },
  });
});

t.test('a body that lacks a member, or a value of another type, is a usage error before any call', async (t) => {
  const { weir, seen } = await gateLine(t, {});
  const create = (...more: string[]) => weir(['gates', 'create', ...more]);
  await t.rejects(create('--name', 'x'), ending('usage', /^--metres is missing\.$/));
  await t.rejects(create(), ending('usage', /^--name, --metres are missing\.$/));
  await t.rejects(create('--name', 'x', '--metres', 'wide'), ending('usage', /^--metres must be a whole number\.$/));
  await t.rejects(create('--name', 'x', '--metres', '4', '--kind', 'lift'), ending('usage', /one of: swing, slide/));
  t.strictSame(seen, []);
});

t.test('a list shows the columns of its endpoint; a name becomes an id; a DELETE names what was typed', async (t) => {
  const { weir, seen } = await gateLine(t, {
    'GET /api/v1/gates': ({ url }) => page(url.searchParams.get('name') === 'south' ? [] : [gate]),
    [`DELETE /api/v1/gates/${IDS.source}`]: { status: 204 },
  });
  t.strictSame((await weir(['gates', 'list'])).out, 'NAME   COLOUR\nnorth  red\n');
  await t.rejects(weir(['gates', 'delete', 'north']), ending('usage', /Delete a gate: north of acme at 127/));
  t.match(await weir(['gates', 'delete', 'north', '--yes']), { code: 0, err: 'done\n' });
  await t.rejects(weir(['gates', 'delete', 'south', '--yes']), ending('notFound', /no gate south in tenant acme/));
  t.equal(seen.filter(({ call }) => call.startsWith('DELETE')).length, 1);
});

t.test('--wait follows a run that was accepted, and ends as it ends', async (t) => {
  const accepted = { run_id: IDS.runId, workflow_id: 'w', status: 'pending', warning: null };
  const failure = { code: 'no_paint', detail: 'The paint is gone.', hint: null, origin: 'source', retryable: false };
  const run = { run_id: IDS.runId, kind: 'paint', subject: { id: gate.gate_id, name: 'north' } };
  let status = 'succeeded';
  const { weir } = await gateLine(t, {
    [`POST /api/v1/gates/${IDS.source}/paint`]: { status: 202, body: accepted },
    [`GET /api/v1/runs/${IDS.runId}`]: () => ({
      ...{ status: 200, body: { ...run, status, failure: status === 'failed' ? failure : null } },
    }),
  });
  t.match(await weir(['gates', 'paint', IDS.source, '-w']), { code: 0, out: /status +succeeded/ });
  status = 'failed';
  await t.rejects(weir(['gates', 'paint', IDS.source, '-w']), ending('failed', /The paint is gone/));
});

t.test('no flag of an endpoint hides one of every command, and none takes a secret', async (t) => {
  const cli = new Cli<CliContext>({ binaryName: 'weir' });
  class Bare extends WeirCommand {
    static override paths = [['bare']];
    static override usage = { description: 'x' };
    execute = async () => 0;
  }
  cli.register(Bare);
  const flags = (knownCommands(cli)[0]?.flags ?? []).filter((flag) => flag.startsWith('--'));
  t.ok(flags.length > 5);
  for (const flag of flags) t.ok(GLOBAL_FLAGS.includes(flag), flag);
  const own = membersOf(gates.createGate).map(({ flag }) => flag);
  t.strictSame(own, ['--name', '--metres', '--keepers', '--kind', '--open', '--gate-url', '--note']);
});

/** Whether a schema of objects has a place, such as `subject.name` or `next_runs.0.local`. */
function hasPlace(schema: TSchema | undefined, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  const parts = [schema, ...((schema?.anyOf ?? schema?.allOf ?? []) as TSchema[])];
  return parts.some((part) => {
    const inner = /^\d+$/.test(first) ? part?.items : part?.properties?.[first];
    return inner !== undefined && hasPlace(inner as TSchema, rest);
  });
}

t.test('the columns and flags that an endpoint chooses are members of it', async (t) => {
  let columns = 0;
  for (const each of [sources, runs, datasets, identity, platform, engine, transforms, webhooks].flatMap(endpointsOf)) {
    const chosen = cliOf(each);
    const items = (each.response?.properties?.items?.items ?? each.response) as TSchema | undefined;
    for (const column of chosen?.columns ?? [])
      t.ok(hasPlace(items, column.split(' as ')[0]?.split('.') ?? []), `${each.id} ${column}`);
    const named = { ...each.query?.properties, ...each.body?.properties };
    for (const name of Object.keys(chosen?.flags ?? {})) t.ok(name in named, `${each.id} ${name}`);
    columns += chosen?.columns?.length ?? 0;
  }
  t.ok(columns > 50);
});
