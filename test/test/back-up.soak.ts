import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findTemporal, startPostgres, startTemporal } from '@weir/embedded';
import { call } from '@weir/kernel/contract';
import { testIssuer } from '@weir/kernel/testing';
import { newBucket } from '@weir/lakehouse/testing';
import { bootstrapDatabase, createTenant, migrate, migrations } from '@weir/migrations';
import { previewDataset } from '@weir/plugin-datasets/contract';
import { createSource, getSchedule, putSchedule } from '@weir/plugin-sources/contract';
import t, { type Test } from 'tap';
import { type Api, discovered, enableAll, ok, synced } from '../../plugins/sources/test/platform.ts';
import {
  digestOf,
  VAULTED_CONFIG,
  VAULTED_PLATFORM,
  vaultedValues,
  vaultedWhole,
} from '../../plugins/sources/test/vaulted-source.ts';
import { apiProcess } from '../api-process.ts';
import { kept } from '../crash/kept.ts';
import { readPage } from '../docs/page.ts';
import { openShell } from '../docs/shell.ts';
import { keyFile } from '../key-file.ts';
import { findObjectStore, startObjectStore } from '../object-store.ts';
import { platformEnvironment } from '../platform.ts';
import { ROOT } from '../walls.ts';
import { startWorker } from '../worker-process.ts';

const PAGE = 'docs/how-to/back-up-and-restore.md';
const [BUCKET, PREFIX, DATABASE] = ['acme-tables', 'weir', 'weir'];
const PASSWORDS = { owner: 'drill-owner', app: 'drill-app', system: 'drill-system' };
const ROWS = 'bronze.acme.vaulted__rows';
/** `pg_dump` of this machine reads servers of its own release. */
const BINARIES = 'debian';

type Place = Awaited<ReturnType<typeof makePlace>>;

/** New and empty servers below a folder; what they are is told as the environment of a deployment. */
async function makePlace(t: Test, folder: string, issuer: Awaited<ReturnType<typeof testIssuer>>) {
  await mkdir(folder, { recursive: true });
  const at = (name: string) => path.join(folder, name);
  const { binary } = await findTemporal();
  const weed = await findObjectStore();
  const database = { dataDir: at('postgres'), logFile: at('postgres.log'), superuserPassword: 'drill' };
  const { now: postgres } = await kept(t, () =>
    startPostgres({ ...database, binaries: BINARIES, settings: { fsync: 'off' } }),
  );
  const { now: engine } = await kept(t, () =>
    startTemporal({ binary, dbFile: at('engine.db'), logFile: at('engine.log') }),
  );
  const { now: store } = await kept(t, () => startObjectStore({ binary: weed, folder: at('store') }));
  const { endpoint, accessKeyId, secretAccessKey } = store;
  const bucket = await newBucket({ endpoint, accessKeyId, secretAccessKey }, BUCKET);
  t.teardown(bucket.close);
  const server = { host: '127.0.0.1', port: postgres.port, database: DATABASE };
  const app = { ...server, user: 'weir_app', password: PASSWORDS.app };
  const environment = {
    ...platformEnvironment({ database: { name: DATABASE, app }, issuer, folder }),
    ...{ WEIR_PLATFORM: VAULTED_PLATFORM, WEIR_CREDENTIAL_KEY_FILE: at('credential.key') },
    ...{ WORKFLOW_HOST: '127.0.0.1', WORKFLOW_PORT: String(engine.port), WEIR_WAREHOUSE: `s3://${BUCKET}/${PREFIX}` },
    ...{ OBJECT_STORE_ENDPOINT_URL: endpoint, OBJECT_STORE_REGION: 'us-east-1' },
    ...{ OBJECT_STORE_ACCESS_KEY_ID: accessKeyId, OBJECT_STORE_SECRET_ACCESS_KEY: secretAccessKey },
  };
  const owner = { ...server, user: 'weir_owner', password: PASSWORDS.owner };
  const stop = () => Promise.all([postgres.stop(), engine.stop(), store.stop()]);
  return { folder, environment, owner, bucket, superuser: postgres.url, stop };
}

/** API and worker of a place, and the API as the admin of the tenant. */
async function startPrograms(t: Test, { environment }: Place, issuer: Awaited<ReturnType<typeof testIssuer>>) {
  const api = await apiProcess(t, environment);
  const worker = await startWorker(t, environment, 'general,source,discovery');
  const token = await issuer.userToken({ subject: 'admin@acme', organizations: ['acme'], roles: ['admin'] });
  const asAdmin: Api = (endpoint, input = {}) => call(endpoint, input, { url: api.url, token, tenant: 'acme' });
  return { api: asAdmin, stop: () => Promise.all([api.end(), worker.end('SIGKILL')]) };
}

/** The blocks of the page that this test runs, from the one that holds `text`. */
async function runBlock(text: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { blocks } = readPage(PAGE, await readFile(path.join(ROOT, PAGE), 'utf8'));
  const block = blocks.find((each) => each.text.includes(text) && each.info.includes('back-up.soak.ts'));
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  const shell = await openShell({ cwd: ROOT, env: { PATH, NODE_OPTIONS: '--conditions=@weir/source', ...env } });
  try {
    const { code, output } = await shell.run(block?.text ?? 'false');
    if (code !== 0) throw new Error(`${text}: exit ${code}\n${output}`);
  } finally {
    await shell.end();
  }
}

const rowsOf = async (api: Api) => ok(await api(previewDataset, { params: { dataset_id: ROWS } })).rows;

t.test('the platform is lost and restored → rows, secrets and schedule are there, and a sync goes on', async (t) => {
  // Sockets of the object store lie below it: their paths are short.
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-drill-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [BACKUP, KEYS] = [path.join(folder, 'backup'), path.join(folder, 'keys')];
  await Promise.all([BACKUP, KEYS].map((each) => mkdir(each)));
  const issuer = await testIssuer(t);
  const onDatabase = (url: string) => Object.assign(new URL(url), { pathname: `/${DATABASE}` }).href;
  const named = ({ environment, superuser }: Place) => ({
    ...{ BACKUP, KEYS, ...environment, SERVER_AS_SUPERUSER: superuser, DATABASE_AS_SUPERUSER: onDatabase(superuser) },
    ...{ WEIR_DB_OWNER_PASSWORD: PASSWORDS.owner, WEIR_DB_SYSTEM_PASSWORD: PASSWORDS.system },
  });

  const first = await makePlace(t, path.join(folder, 'first'), issuer);
  await bootstrapDatabase({ superuserUrl: first.superuser, database: DATABASE, passwords: PASSWORDS });
  await migrate(first.owner, migrations);
  await createTenant(first.owner, 'acme');
  keyFile(first.folder);
  const before = await startPrograms(t, first, issuer);
  const body = { name: 'vaulted', pattern_id: 'vaulted', source_config: VAULTED_CONFIG };
  const { source_id } = ok(
    await before.api(createSource, { body: { ...body, credential_values: vaultedValues('drill') } }),
  );
  t.match(await discovered(before.api, source_id), { status: 'succeeded' });
  await enableAll(before.api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
  t.match(await synced(before.api, source_id), { status: 'succeeded' });
  ok(
    await before.api(putSchedule, { params: { source_id }, body: { cron: ['0 6 * * *'], timezone: 'Europe/Berlin' } }),
  );
  const rows = await rowsOf(before.api);
  t.match(JSON.stringify(rows), digestOf(vaultedWhole('drill')), 'the connector had the credential');

  await runBlock('pg_dump', named(first));
  t.ok((await first.bucket.copyTo(path.join(BACKUP, 'warehouse'))) > 2, 'files of a table');
  await runBlock('install -m 0400 "$WEIR', named(first));
  await before.stop();
  await first.stop();
  await rm(first.folder, { recursive: true, force: true });

  const second = await makePlace(t, path.join(folder, 'second'), issuer);
  await runBlock('pg_restore', named(second));
  await second.bucket.fillFrom(path.join(BACKUP, 'warehouse'));
  keyFile(second.folder, 'other.key');
  const strange = { ...second.environment, WEIR_CREDENTIAL_KEY_FILE: path.join(second.folder, 'other.key') };
  await t.rejects(apiProcess(t, strange), 'another key opens nothing: the start is refused');
  await runBlock('install -m 0400 "$KEYS', named(second));
  const after = await startPrograms(t, second, issuer);
  t.strictSame(await rowsOf(after.api), rows, 'the rows are there');
  t.match(ok(await after.api(getSchedule, { params: { source_id } })), {
    cron: ['0 6 * * *'],
    timezone: 'Europe/Berlin',
  });
  t.match(await synced(after.api, source_id), { status: 'succeeded' });
  const more = await rowsOf(after.api);
  t.equal(more.length, rows.length + 1, 'the sync went on from its position');
  t.match(JSON.stringify(more.at(-1)), digestOf(vaultedWhole('drill')), 'with the credential that was restored');
});
