import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestDatabase, testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import t from 'tap';
import { PUBLISHED } from '../build.ts';
import { buildAndPack, npm, pack } from '../packages.ts';
import { platformEnvironment } from '../platform.ts';
import { copyTemplate, deploy, INSTALLS } from '../template-packages.ts';
import { caller, deployment } from '../template-platform.ts';
import { until } from '../until.ts';

/** Its recorded run replays where npm installs: the client reads no history in the layout of this checkout. */
const TESTS = INSTALLS ? ['test'] : ['exec', '--', 'node', '--test', 'test/notes.test.ts'];
const PLUGINS = ['@weir/plugin-platform', '@acme/weir-plugin-notes'];

const folder = await mkdtemp(path.join(tmpdir(), 'weir-template-'));
t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
const at = (name: string) => path.join(folder, name);

let tarballs: ReadonlyMap<string, string> = new Map();
let notes = '';

t.test('the template lives from the tarballs: it installs, compiles, and passes its own tests', async (t) => {
  tarballs = await buildAndPack(PUBLISHED, folder);
  await copyTemplate(at('notes'), tarballs);
  t.ok(process.env.WEIR_TEST_DATABASE_URL, 'programs get the services that this file has asked for');
  await npm(at('notes'), 'run', 'types');
  await npm(at('notes'), 'run', 'build');
  const said = await npm(at('notes'), ...TESTS);
  t.match(said, /^ℹ fail 0$/m);
  t.match(said, /another tenant sees none of them/);
  [notes = ''] = await pack([at('notes')], folder);
});

t.test('a deployment of packed code runs the plugin for the tenants that have it, and for no other', async (t) => {
  const packed = { from: at('notes'), tarballs: [...tarballs.values(), notes], plugins: PLUGINS };
  const platform = await deploy(at('deployment'), packed);
  const database = await testDatabase(t, tools);
  for (const alias of ['acme', 'other']) await database.tenant(alias);
  const issuer = await testIssuer(t);
  const { run, start } = deployment(t, at('deployment'), {
    ...platformEnvironment({ database, issuer, folder: at('data') }),
    WEIR_PLATFORM: platform,
    WORKFLOW_NOTES_TASK_QUEUE: `notes-${database.name}`,
    WEIR_DB_OWNER_PASSWORD: database.owner.password,
  });
  t.match(await run('kernel', []), { code: 78, stderr: /plugin notes: the database is behind.* run weir migrate/ });
  t.match(await run('migrations', ['up']), { code: 0, stdout: /^\{"applied":"notes_01_note"\}\n$/ });
  t.match(await run('migrations', ['up']), { code: 0, stdout: /nothing_to_do/ });

  const api = await start('kernel', []);
  const call = caller(issuer, api.line.url);
  const enable = async (alias: string, enabled: boolean) => {
    const set = await call('operator', 'PUT', `/tenants/${alias}/plugins/notes`, { enabled });
    t.match(set, { status: 200, body: { plugin_id: 'notes', tenant: alias, enabled } });
  };
  t.match(await call('acme', 'GET', '/notes'), { status: 403, body: { code: 'plugin_disabled' } }, 'opt-in');
  await enable('acme', true);
  const made = await call('acme', 'POST', '/notes', { text: 'hello' });
  t.match(made, { status: 201, body: { text: 'hello', published_at: null } });
  t.match(await call('acme', 'GET', '/notes'), { status: 200, body: { items: [{ text: 'hello' }] } });
  for (const [method, body] of [['GET'], ['POST', { text: 'x' }]] as const) {
    t.match(await call('other', method, '/notes', body), { status: 403, body: { code: 'plugin_disabled' } }, method);
  }
  const publish = `/notes/${made.body.note_id}/publish`;
  t.match(await call('acme', 'POST', publish), { status: 503, body: { code: 'no_worker' } });
  const waiting = await call('acme', 'POST', `${publish}?queue=true`);
  t.match(waiting, { status: 202, body: { warning: { code: 'no_worker' } } });

  await enable('other', true);
  const second = await call('other', 'POST', '/notes', { text: 'never published' });
  const delayed = await call('other', 'POST', `/notes/${second.body.note_id}/publish?queue=true`);
  t.match(delayed, { status: 202 });
  await enable('other', false);
  t.match(await call('other', 'GET', '/notes'), { status: 403, body: { code: 'plugin_disabled' } }, 'switched off');

  const worker = await start('workers', ['--roles', 'notes']);
  t.match(await ended(database, waiting.body.run_id), { status: 'succeeded' });
  t.match(await call('acme', 'POST', publish), { status: 409, body: { code: 'note_published' } });
  const stopped = { status: 'failed', failure: { code: 'plugin_disabled' } };
  t.match(await ended(database, delayed.body.run_id), stopped);
  const published = await database.peek('select text from notes.note where published_at is not null');
  t.strictSame(published, [{ text: 'hello' }], 'the run of the switched-off tenant stopped before the table');
  await worker.stop();
  await api.stop();
});

/** The row of a run, once the run has ended. */
function ended(database: TestDatabase, runId: unknown): Promise<Record<string, unknown>> {
  return until(`the end of run ${runId}`, async () => {
    const [row] = await database.peek('select status, failure from kernel.run where run_id = $1', [runId]);
    return row !== undefined && row.status !== 'pending' && row.status !== 'running' && row;
  });
}
