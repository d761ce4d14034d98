import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDataset } from '@weir/plugin-datasets/contract';
import t, { type Test } from 'tap';
import { testMount } from '../../../test/secret-mount.ts';
import { until } from '../../../test/until.ts';
import {
  createSource,
  createStream,
  getCredentials,
  getDiscoveryStatus,
  getSource,
  readRunLogs,
  revokeCredential,
  type SourceView,
  startDiscovery,
  startSync,
} from '../src/contract.ts';
import { killedAttempt } from './killed-attempt.ts';
import { discovered, ended, ok, refusal, synced, testPlatform } from './platform.ts';

const TOKEN = 'Zq8-ROTATED/9+token';
const CANARY = /ROTATED/;
const OF_SOURCE = `select c.tenant_id, c.credential_id from sources.credential c
  join sources.source s using (tenant_id, credential_id) where s.source_id = $1`;

type Shop = { source: SourceView };

t.test('credentials that a connector renews, while a real secret store keeps them', async (t) => {
  const mount = await testMount(t);
  const platform = await testPlatform(t, async (folder) => {
    const file = join(folder, 'credential.key');
    await writeFile(file, randomBytes(32), { mode: 0o400 });
    return {
      ...mount.environment('api'),
      WEIR_PLATFORM: join(import.meta.dirname, 'fixtures/platform-describing.json'),
      WEIR_CREDENTIAL_KEY_FILE: file,
    };
  });
  // As in a deployment, the worker may only read in the store.
  const reader = { ...mount.environment('worker'), WEIR_LOG_LEVEL: 'trace' };
  const said: string[] = [];
  const startWorker = async () => {
    const { process: worker } = await platform.startWorker(reader);
    worker.stdout?.on('data', (piece) => said.push(String(piece)));
    return worker;
  };
  const api = await platform.as('demo');
  const elsewhere = t.testdir();
  /** A folder with a token that counts once, and a source of it with a credential of its own. */
  const shop = async (name: string) => {
    const folder = join(elsewhere, name);
    await mkdir(folder);
    await writeFile(join(folder, 'token'), TOKEN);
    const of = { pattern_id: 'describing', source_config: { folder } };
    const credential = { credential_values: { token: TOKEN }, credential_name: name };
    const source = ok(await api(createSource, { body: { name, ...of, ...credential } }));
    return { of, source, params: { source_id: source.source_id }, credential_ref: String(source.credential_ref) };
  };
  const discoveredAs = async (workflow_id: string) =>
    until('a discovery', async () => {
      const status = ok(await api(getDiscoveryStatus, { params: { workflow_id } }));
      return status.is_terminal ? status : undefined;
    });
  /** Waits until so many renewals are in the store, and reads every version of the credential there as an operator. */
  const renewals = async (t: Test, { source }: Shop, count: number) => {
    const { source_id } = source;
    const kept = async () => {
      const { version } = ok(await api(getCredentials, { params: { source_id } }));
      const [row] = await platform.database.peek(OF_SOURCE, [source_id]);
      const path = `${mount.mount}/data/src/${row?.tenant_id}/${row?.credential_id}`;
      const numbers = Array.from({ length: version }, (_, at) => at + 1);
      const read = numbers.map((at) => mount.operator('GET', `${path}?version=${at}`));
      return (await Promise.all(read)).map(({ body }) => String(Object(body.data?.data)['/token']));
    };
    const tokens = await until(`renewal ${count}`, async () => {
      const found = await kept();
      return found.at(-1) === TOKEN + '+'.repeat(count) ? found : undefined;
    });
    // Those that come while another is written become one version.
    t.strictSame([...new Set(tokens)].toSorted(), tokens, 'each version holds what was renewed after the one before');
    t.equal(tokens[0], TOKEN);
  };
  /** How often the one token that counts was renewed, as its source has it. */
  const used = async (name: string) => (await readFile(join(elsewhere, name, 'token'), 'utf8')).length - TOKEN.length;
  const [one, other] = [await shop('one'), await shop('other')];
  const total = async (name: string) =>
    ok(await api(getDataset, { params: { dataset_id: `bronze.demo.${name}__rows` } })).total_records;

  const { source_id } = one.params;
  const rows = { name: 'rows', schema: { type: 'object', properties: { id: { type: 'integer' } } }, enabled: true };
  ok(await api(createStream, { params: one.params, body: rows }));
  const query = { queue: true };
  const sync = ok(await api(startSync, { params: one.params, query }));
  const discovery = ok(
    await api(startDiscovery, { body: { ...other.of, credential_ref: other.credential_ref }, query }),
  );
  await killedAttempt(platform, { run_id: sync.run_id, source_id }, { points: ['C6'], environment: reader });
  await killedAttempt(platform, { run_id: discovery.run_id }, { points: ['C6'], environment: reader });
  await renewals(t, one, 1);
  await renewals(t, other, 1);
  const worker = await startWorker();

  await t.test('an attempt that is killed when a renewed token is kept loses none', async (t) => {
    t.match(await ended(api, source_id, sync.run_id), { status: 'succeeded', attempt: 2 });
    t.match(await discoveredAs(discovery.workflow_id), { status: 'succeeded' });
    // What had done its work before it was killed does it once, and needs no token again.
    await renewals(t, one, await used('one'));
    await renewals(t, other, await used('other'));
    t.equal(await total('one'), '2', 'every row once');
  });

  await t.test('a configuration that is no source yet is discovered with a credential of the store', async (t) => {
    const { of, credential_ref, source } = other;
    const start = (body: object) => api(startDiscovery, { body: { ...of, ...body } });
    const values = { credential_values: { token: TOKEN } };
    t.equal(refusal(await start({ credential_ref, ...values })), '422 credential_input_conflict');
    t.equal(refusal(await start({ credential_ref: `cred_${'a'.repeat(26)}` })), '422 credential_not_usable');
    const foreign = await (await platform.as('stranger'))(startDiscovery, { body: { ...of, credential_ref } });
    t.equal(refusal(foreign), '422 credential_not_usable', 'one of another tenant is one that is not there');
    const odd = await start({ source_config: { ...of.source_config, more: 7 }, credential_ref });
    t.match(odd, { status: 422, problem: { errors: [{ pointer: '/source_config', code: 'undeclared_field' }] } });
    t.notMatch(JSON.stringify(odd), CANARY);

    const { workflow_id } = ok(await start({ credential_ref }));
    t.match(await discoveredAs(workflow_id), { status: 'succeeded', source_id: null, streams: [{ name: 'rows' }] });
    const before = await used('other');
    await renewals(t, other, before);
    const made = ok(await api(createSource, { body: { name: 'made', ...of, workflow_id } }));
    t.equal(made.credential_ref, credential_ref, 'a source that is made of it has the same credential');
    t.match(await discovered(api, made.source_id), { status: 'succeeded' });
    t.match(await discovered(api, source.source_id), { status: 'succeeded' });
    await renewals(t, other, before + 2);
    t.equal(refusal(await api(revokeCredential, { params: { credential_ref } })), '409 credential_in_use');
  });

  await t.test('each sync and each discovery of a source goes on with what the one before renewed', async (t) => {
    const before = await used('one');
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    // The next ones do not wait until it is written to the store: it counts before.
    for (let round = 0; round < 2; round += 1) {
      const run = await synced(api, source_id);
      t.match(run, { status: 'succeeded', rows_written: 2 });
      // Not asked of the killed attempt: the last lines of its log may be lost with it.
      const { items } = ok(await api(readRunLogs, { params: { source_id, run_id: run.run_id } }));
      t.ok(items.some(({ message }) => message === 'renewed to [secret]'));
    }
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    await renewals(t, one, before + 4);
  });

  await t.test('no token is anywhere but in the store', async (t) => {
    worker.kill('SIGTERM');
    await once(worker, 'exit');
    t.match(said.join(''), /a connector renewed credentials/, 'the log of the worker tells of it');
    t.notMatch(said.join(''), CANARY);
    t.notMatch(JSON.stringify(ok(await api(getSource, { params: one.params }))), CANARY);
    const tables = await platform.database.peek(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of tables)
      t.notMatch(JSON.stringify(await platform.database.peek(`select t::text from ${name} t`)), CANARY, String(name));
    t.strictSame(await platform.database.peek('select 1 from sources.credential_rotation'), [], 'and nothing waits');
    const files = (await readdir(platform.folder, { recursive: true, withFileTypes: true })).filter((at) =>
      at.isFile(),
    );
    t.ok(files.length > 5);
    for (const { parentPath, name } of files)
      t.notOk((await readFile(join(parentPath, name))).includes('ROTATED'), name);
  });
});
