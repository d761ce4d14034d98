import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { openVault, type Vault } from '@weir/vault';
import t from 'tap';
import { commandLine } from '../../../cli/test/command-line.ts';
import { testMount } from '../../../test/secret-mount.ts';
import { findSecretStore, type RunningSecretStore, startSecretStore, unseal } from '../../../test/secret-store.ts';
import { until } from '../../../test/until.ts';
import { getCredentials, rotateCredentials } from '../src/contract.ts';
import { checkStored } from '../src/service/credential/check-stored.ts';
import { credentialsWorld, vaultedSource } from './credentials-world.ts';
import { ok } from './platform.ts';
import { vaultedValues } from './vaulted-source.ts';

type World = Awaited<ReturnType<typeof credentialsWorld>>;

/** Tables in the order in which their rows can be restored. */
const TABLES = [
  'kernel.tenant',
  'sources.credential',
  'sources.credential_version',
  'sources.source',
  'sources.credential_cutover',
];

/** All rows that the drill is about, as a file. */
async function dump({ database }: World, file: string): Promise<void> {
  const rows = TABLES.map(async (table) => [
    table,
    (await database.peek(`select to_json(t) as row from ${table} t`)).map(({ row }) => row),
  ]);
  writeFileSync(file, JSON.stringify(await Promise.all(rows)));
}

/** Puts them into an empty database of the same schema. */
async function restore({ database }: World, file: string): Promise<void> {
  for (const [table, rows] of JSON.parse(readFileSync(file, 'utf8')) as [string, object[]][]) {
    const from = `json_populate_recordset(null::${table}, $1::json)`;
    await database.peek(`insert into ${table} select * from ${from}`, [JSON.stringify(rows)]);
  }
}

/** Takes or restores a snapshot of a whole store, as an operator does. */
function snapshot({ address, caFile, token }: RunningSecretStore, content?: Buffer): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const where = content === undefined ? 'snapshot' : 'snapshot-force';
  const url = new URL(`/v1/sys/storage/raft/${where}`, address);
  const method = content === undefined ? 'GET' : 'POST';
  const options = { method, headers: { 'x-vault-token': token }, ca: readFileSync(caFile), agent: false };
  const asked = request(url, options, async (answer) => {
    const body = Buffer.concat(await answer.toArray());
    if ((answer.statusCode ?? 500) < 300) resolve(body);
    else reject(new Error(`the store answers ${answer.statusCode}`));
  });
  asked.once('error', reject).end(content);
  return promise;
}

t.test('a database and a secret store are restored from a pair that matches, and from no other', async (t) => {
  const { weir, home } = commandLine(t);
  const folder = join(home, 'store');
  const store = await startSecretStore({ binary: await findSecretStore(), folder });
  t.teardown(() => store.stop());
  const mount = await testMount(t, { store });
  const vault: Vault = openVault(mount.environment('api'), {}).vault;
  const world = await credentialsWorld(t, vault);
  const demo = await world.tenant('demo');
  const api = world.as('demo').call;
  const rotated = { source_id: (await vaultedSource(api, 'one', 'CNRY-drill-1')).source_id };
  await vaultedSource(api, 'two', 'CNRY-drill-2');
  const rotate = async (mark: string) =>
    ok(await api(rotateCredentials, { params: rotated, body: { credential_values: vaultedValues(mark) } }));
  await rotate('CNRY-drill-3');

  const file = (name: string) => join(home, name);
  await dump(world, file('weir.dump'));
  writeFileSync(file('bao.snap'), await snapshot(store));
  const sealed = await weir('ops recovery seal --database weir.dump --secret-store bao.snap --out pair.json');
  t.equal(sealed.code, 0);
  t.notMatch(sealed.stdout + readFileSync(file('pair.json'), 'utf8'), /CNRY/);
  t.equal((await weir('ops recovery verify pair.json')).code, 0);

  await t.test('a copy that was made at another time is refused', async (t) => {
    await rotate('CNRY-drill-4');
    const kept = readFileSync(file('weir.dump'));
    await dump(world, file('weir.dump'));
    t.match(await weir('ops recovery verify pair.json'), { code: 1, stdout: /database +weir\.dump +another/ });
    writeFileSync(file('weir.dump'), kept);
    const forged = readFileSync(file('pair.json'), 'utf8').replace(/"sha256": "./, '"sha256": "x');
    writeFileSync(file('forged.json'), forged);
    t.not((await weir('ops recovery verify forged.json')).code, 0);
    const again = await weir('ops recovery seal --database weir.dump --secret-store bao.snap --out pair.json');
    t.not(again.code, 0, 'a document is never written over');
  });

  await t.test('both are lost, and are there again as they were', async (t) => {
    t.equal(ok(await api(getCredentials, { params: rotated })).version, 3);
    await mount.operator('DELETE', `sys/mounts/${mount.mount}`);
    const fresh = await credentialsWorld(t, openVault(mount.environment('api'), {}).vault);
    await restore(fresh, file('weir.dump'));
    t.equal((await checkStored(fresh.kernel, [demo])).faults.length, 2, 'one without the other is of no use');
    await snapshot(store, readFileSync(file('bao.snap')));
    await unseal(store).catch(() => undefined);
    const after = await until('the store', async () => {
      const found = await checkStored(fresh.kernel, [demo]).catch(() => undefined);
      return found?.faults.length === 0 ? found : undefined;
    });
    t.strictSame(after, { credentials: 2, faults: [] });
    t.equal(
      ok(await fresh.as('demo').call(getCredentials, { params: rotated })).version,
      2,
      'as it was when both were made',
    );
  });
});
