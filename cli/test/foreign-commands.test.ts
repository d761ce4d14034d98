import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Cli } from 'clipanion';
import t from 'tap';
import * as notes from '../../plugin-template/src/contract.ts';
import type { CliContext } from '../src/command/command.ts';
import { commandsOf } from '../src/command/endpoint-command.ts';
import { knownCommands } from '../src/line/known-command.ts';
import { commandLine } from './command-line.ts';
import { fakeApi, type Routes } from './fake-api.ts';
import { IDS } from './shapes.ts';

const gate = { gate_id: IDS.source, name: 'north', open: true };
const text = { type: 'string' };
const Gate = { type: 'object', properties: { gate_id: text, name: text, open: { type: 'boolean' } } };
const page = { type: 'object', properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Gate' } } } };
const answer = (schema: object) => ({ description: 'x', content: { 'application/json': { schema } } });
const query = (name: string) => ({ name, in: 'query', schema: text });

/** The OpenAPI document of a server with a plugin of a third party. */
const document = {
  openapi: '3.1.0',
  paths: {
    '/api/v1/gates': {
      get: {
        ...{
          operationId: 'gates.list_gates',
          summary: 'List \u001b[31mgates',
          parameters: [query('name'), query('limit')],
        },
        ...{ responses: { 200: answer(page) }, 'x-weir-cli': { words: 'gates list', columns: ['name', 'open'] } },
        'x-access': { kind: 'known' },
      },
      post: {
        ...{ operationId: 'gates.create_gate', summary: 'Make a gate', 'x-weir-cli': { words: 'gates create' } },
        requestBody: answer({
          ...{ type: 'object', required: ['name'] },
          properties: { name: text, width: { type: ['integer', 'null'] } },
        }),
        ...{ responses: { 201: answer({ $ref: '#/components/schemas/Gate' }) }, 'x-access': { kind: 'known' } },
      },
    },
    '/api/v1/gates/{gate_id}': {
      delete: {
        ...{ operationId: 'gates.delete_gate', summary: 'Delete a gate', responses: { 204: { description: 'x' } } },
        ...{ 'x-weir-cli': { words: 'gates delete' }, 'x-access': { kind: 'known' } },
      },
    },
    '/api/v1/login': {
      post: {
        ...{ operationId: 'gates.login', summary: 'Not ours', responses: { 204: { description: 'x' } } },
        ...{ 'x-weir-cli': { words: 'login now' }, 'x-access': { kind: 'known' } },
      },
    },
  },
  components: { schemas: { Gate } },
};
const routes: Routes = {
  'GET /openapi.json': { status: 200, body: document },
  'GET /api/v1/gates': { status: 200, body: { items: [gate], next_page_token: null, total: null } },
  'POST /api/v1/gates': { status: 201, body: gate },
  [`DELETE /api/v1/gates/${IDS.source}`]: { status: 204 },
};

t.test('the endpoints of a server bring commands, which are kept for the next line', async (t) => {
  const { weir } = commandLine(t);
  const api = await fakeApi(t, routes);
  const run = (line: string) => weir(`${line} --url ${api.url}`);
  t.strictSame(await run('gates list'), { code: 0, stdout: 'NAME   OPEN\nnorth  true\n', stderr: '' });
  t.match(await run('gates create --name north --width 4'), { code: 0 });
  t.strictSame(api.seen.at(-1)?.body, { name: 'north', width: 4 });
  t.match(await run('gates create --width 4'), { code: 2, stderr: /--name is missing/ });
  t.match(await run('gates delete north --yes'), { code: 0, stderr: 'done\n' });
  t.match(await run('gates lsit'), { code: 2, stderr: /Did you mean: weir gates list/ });
  const help = await weir('gates --help', { env: { WEIR_URL: api.url } });
  t.match(help.stdout, /gates create +Make a gate/);
  t.notMatch(help.stdout, '\u001b');
  t.equal(api.seen.filter(({ call }) => call === 'GET /openapi.json').length, 1);
  t.match(await run('login now'), { code: 2 }, 'no command of ours gets another meaning');
  t.match(await run('fences list'), { code: 2, stderr: /There is no command weir fences/ });
});

t.test('a checkout that deploys a plugin has its commands without asking a server', async (t) => {
  const { weir, root } = commandLine(t);
  const folder = path.join(root, 'node_modules/@acme/gates');
  await mkdir(folder, { recursive: true });
  const manifest = { name: '@acme/gates', type: 'module', exports: { './contract': './contract.js' } };
  const found = { id: 'gates.list_gates', method: 'GET', path: '/gates', summary: 'List gates', access: {} };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(
    path.join(folder, 'contract.js'),
    `export const listGates = ${JSON.stringify({ ...found, response: page, cli: { words: 'gates list', columns: ['name'] } })};`,
  );
  await writeFile(path.join(root, 'platform.json'), JSON.stringify({ plugins: ['@weir/plugin-runs', '@acme/gates'] }));
  const api = await fakeApi(t, routes);
  t.strictSame(await weir(`gates list --url ${api.url}`), { code: 0, stdout: 'NAME\nnorth\n', stderr: '' });
  t.strictSame(
    api.seen.map(({ call }) => call),
    ['GET /api/v1/gates'],
  );
  await writeFile(path.join(root, 'platform.json'), JSON.stringify({ plugins: ['@acme/absent'] }));
  t.match(await weir('gates list'), { code: 1, stderr: /@acme\/absent cannot be loaded/ });
});

t.test('the template of plugins shows commands: made by flags, and waited for', async (t) => {
  const cli = new Cli<CliContext>({ binaryName: 'weir' });
  for (const command of commandsOf(notes)) cli.register(command);
  const known = new Map(knownCommands(cli).map(({ words, flags }) => [words.join(' '), flags]));
  t.strictSame([...known.keys()].sort(), ['notes create', 'notes list', 'notes publish']);
  t.ok(known.get('notes create')?.includes('--text'));
  t.ok(known.get('notes publish')?.includes('--wait'));
});
