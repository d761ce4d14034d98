import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Kernel, Tenant } from '@weir/kernel';
import { openDatabase, type Teardown, testDatabase } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { previewDataset } from '@weir/plugin-datasets/contract';
import { pino } from 'pino';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { uploadName } from '../src/contract/upload/upload-name.ts';
import {
  createSource,
  deleteSource,
  deleteUpload,
  getFileRoots,
  getUpload,
  listUploads,
  type UploadView,
} from '../src/contract.ts';
import { entities } from '../src/model/entities.ts';
import { uploadService } from '../src/service/upload/upload-service.ts';
import { connectorEnvironment, fileRoots, type Settings } from '../src/settings.ts';
import { discovered, enableAll, filesSource, ok, refusal, streamsOf, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const HOUR_MS = 3_600_000;
const OCTETS = 'application/octet-stream';

const folderOf = async (t: { teardown(work: () => unknown): void }) => {
  const dir = await mkdtemp(join(tmpdir(), 'weir-uploads-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  return dir;
};
/** Everything below a folder that is a file. */
const filesBelow = async (dir: string) =>
  (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((e) => e.name);

t.test('a name with a way out, dots, control characters or globs → a plain file name, or none', async (t) => {
  const names: [string, string][] = [
    ['orders.csv', 'orders.csv'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\data\\orders.csv', 'orders.csv'],
    ['/etc/..', ''],
    ['.hidden.csv', 'hidden.csv'],
    ['a\u0000b\nc.csv', 'a_b_c.csv'],
    ['*[x]{y}?.csv', '__x__y__.csv'],
    ['замовлення 2026.csv', 'замовлення 2026.csv'],
    ['Müller & Söhne.csv', 'Müller & Söhne.csv'],
    ['...', ''],
    ['🙂', ''],
  ];
  for (const [given, name] of names) t.equal(uploadName(given), name, JSON.stringify(given));
  const long = uploadName(`${'ж'.repeat(500)}.csv.gz`);
  t.ok(Buffer.byteLength(long) <= 200 && long.endsWith('.csv.gz'));
});

/** A store over the rows of a real database, for tenants of its own. */
async function storeWorld(t: Teardown, quotaMiB = 1) {
  const dir = await folderOf(t);
  const database = await testDatabase(t, tools as unknown as Parameters<typeof testDatabase>[1]);
  const { db, close } = await openDatabase({
    ...database.app,
    name: database.app.database,
    entities,
    log: pino({ level: 'silent' }),
  });
  t.teardown(close);
  const [acme, other] = [await database.tenant('acme'), await database.tenant('other')];
  const settings = { WEIR_UPLOAD_DIR: dir, WEIR_UPLOAD_QUOTA_MIB: quotaMiB };
  const kernel = { settings, db, tenants: { list: async () => [acme] } } as unknown as Kernel;
  const uploads = uploadService(kernel);
  const ids = async (tenant: Tenant) => (await uploads.list(tenant)).items.map(({ upload_id }) => upload_id);
  return { dir, database, uploads, acme, other, ids, db };
}

t.test('more than the quota, by bytes or by number → refused, and nothing is left', async (t) => {
  const { dir, uploads, acme, other, ids, db } = await storeWorld(t);
  const half = () => Readable.from([Buffer.alloc(600 * 1024)]);
  const { upload_id } = await uploads.create(acme, { name: 'a.csv' }, half());
  const full = { code: 'upload_quota_exceeded', message: /more than 1 MiB/ };
  await t.rejects(uploads.create(acme, { name: 'b.csv', upload_id }, half()), full);
  await uploads.create(acme, { name: 'a.csv', upload_id }, Readable.from(['id']));
  t.match(await uploads.get(acme, upload_id), { bytes: 2, files: [{ name: 'a.csv', bytes: 2 }] }, 'in its place');
  await uploads.create(other, { name: 'c.csv' }, half());
  t.strictSame((await filesBelow(dir)).sort(), ['a.csv', 'c.csv']);
  const both = await Promise.allSettled(['d', 'e'].map((name) => uploads.create(acme, { name }, half())));
  t.equal(both.filter(({ status }) => status === 'rejected').length, 1, 'two at a time');
  const rows = `insert into sources.upload (tenant_id, upload_id, files, bytes)
    select $1, gen_random_uuid(), '{}', 0 from generate_series(1, 998)`;
  await db(acme).transaction((tx) => tx.sql(rows, [acme.tenantId]));
  await t.rejects(uploads.create(acme, { name: 'x' }, Readable.from(['id'])), { code: 'too_many_uploads' });
  const page = await uploads.list(acme, { limit: 500 });
  t.match(page, { items: { length: 500 }, total: 1_000, next_page_token: String });
  t.equal((await ids(other)).length, 1);
});

t.test('no bytes, or a stream that breaks off → refused, and nothing is left', async (t) => {
  const { dir, uploads, acme, ids } = await storeWorld(t);
  await t.rejects(uploads.create(acme, { name: 'a.csv' }, Readable.from([])), { code: 'upload_empty' });
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('id\n');
      throw new Error('aborted');
    })(),
  );
  await t.rejects(uploads.create(acme, { name: 'a.csv' }, broken), /aborted/);
  t.strictSame(await filesBelow(dir), []);
  t.strictSame(await ids(acme), []);
});

t.test('a day after its last use → removed, unless a source names it; what lost requests left goes too', async (t) => {
  const { dir, database, uploads, acme, ids, db } = await storeWorld(t);
  const [first, named] = await Promise.all(
    ['a.csv', 'b.csv'].map(async (name) => (await uploads.create(acme, { name }, Readable.from(['id']))).upload_id),
  );
  const lost = join(dir, acme.tenantId, '018f4a6e-0000-7000-8000-000000000009');
  await mkdir(lost);
  await writeFile(join(dir, acme.tenantId, '.parts', 'lost'), 'x');
  const config = `insert into sources.source
    (tenant_id, source_id, name, pattern_id, pattern_version, source_config, status, created_at, updated_at)
    select $1, gen_random_uuid(), 'people', 'files', '1', json_build_object('path', 'upload:' || $2::text), 'draft', now(), now()`;
  await db(acme).transaction((tx) => tx.sql(config, [acme.tenantId, named]));
  await uploads.sweep(acme, new Date(Date.now() + 23 * HOUR_MS));
  t.strictSame((await ids(acme)).sort(), [first, named].sort());
  t.notOk((await readdir(join(dir, acme.tenantId, '.parts'))).includes('lost'));
  t.notOk((await readdir(join(dir, acme.tenantId))).includes('018f4a6e-0000-7000-8000-000000000009'));
  await database.peek(`update sources.upload set used_at = now() - interval '25 hours'`);
  await uploads.sweep(acme, new Date());
  t.strictSame(await ids(acme), [named]);
  t.strictSame(await filesBelow(dir), ['b.csv']);
  await t.rejects(uploads.remove(acme, named ?? ''), { code: 'upload_in_use' });
});

t.test('a connector reads the upload of its source alone, and no other source reads uploads', async (t) => {
  const settings = { WEIR_UPLOAD_DIR: '/u', WEIR_FILES_ROOTS: '/data', WEIR_FILES_REFUSED: '/x' } as Settings;
  const own = { kind: 'process', isOwnImage: true } as const;
  t.match(connectorEnvironment(settings, own, '/w'), { WEIR_FILES_ROOTS: '/data', WEIR_FILES_REFUSED: '/x:/w:/u' });
  t.match(connectorEnvironment(settings, own, '/w', '/u/t/1'), { WEIR_FILES_ROOTS: '/u/t/1', WEIR_FILES_REFUSED: '' });
});

t.test('roots of files → told to editors, as the connector has them', async (t) => {
  const of = (more: object, mode: 'development' | 'production' = 'development') => fileRoots(more as Settings, mode);
  t.strictSame(of({ WEIR_FILES_ROOTS: '/a:/b' }), ['/a', '/b']);
  t.equal(of({ WEIR_FILES_ROOTS: '' }), null, 'every folder');
  t.strictSame(of({ WEIR_FILES_ROOTS: '/a', SOURCE_SOCKET_DIR: '/s' }), [], 'a container has folders of its own');
  t.strictSame(of({ WEIR_FILES_ROOTS: '/a' }, 'production'), []);
  const platform = await sharedPlatform(t);
  const asked = async (role: 'viewer' | 'pipeline_editor') => (await platform.as('demo', role))(getFileRoots);
  t.strictSame(ok(await asked('pipeline_editor')), { roots: null });
  t.equal(refusal(await asked('viewer')), '403 forbidden_role');
});

t.test('a file is brought → a source of the tenant reads it, and no other tenant names it', async (t) => {
  const platform = await sharedPlatform(t);
  const send = async (tenant: string, query: string, body: string, role = 'admin') => {
    const headers = {
      ...{ authorization: `Bearer ${await platform.token(tenant, role)}`, 'content-type': OCTETS },
      'x-tenant-id': platform.alias(tenant),
    };
    const answer = await fetch(`${platform.url}/api/v1/uploads?${query}`, { method: 'POST', headers, body });
    return { status: answer.status, body: (await answer.json()) as UploadView & { code: string } };
  };
  const [demo, other] = [await platform.as('demo'), await platform.as('other')];
  const { status, body: upload } = await send('demo', 'name=..%2F..%2Fpeople.csv', 'id,name\n1,Ada\n');
  t.match({ status, ...upload }, { status: 201, location: `upload:${upload.upload_id}`, bytes: 14 });
  t.strictSame(upload.files, [{ name: 'people.csv', bytes: 14 }]);
  t.match((await send('demo', 'name=a.csv', 'x', 'viewer')).body, { code: 'forbidden_role' });
  t.match((await send('demo', 'name=a.csv', '')).body, { code: 'upload_empty' });
  t.match((await send('demo', 'name=..', 'x')).body, { code: 'upload_name_invalid' });
  t.match((await send('other', `name=a.csv&upload_id=${upload.upload_id}`, 'x')).body, { code: 'not_found' });
  const params = { upload_id: upload.upload_id };
  t.match(refusal(await other(getUpload, { params })), /not_found/);
  t.match(refusal(await other(deleteUpload, { params })), /not_found/);
  t.strictSame(ok(await other(listUploads)).items, []);
  for (const path of [upload.location, 'upload:../x', 'upload:']) {
    const body = { pattern_id: 'files', name: 'theirs', source_config: { path } };
    t.match(refusal(await other(createSource, { body })), /upload_unknown/, path);
  }
  const { source_id } = await filesSource(demo, 'people', upload.location);
  t.match(refusal(await demo(deleteUpload, { params })), /upload_in_use/);
  t.equal(ok(await demo(getUpload, { params })).expires_at, null);
  await discovered(demo, source_id);
  await enableAll(demo, source_id, {});
  await synced(demo, source_id);
  await send('demo', `name=people.csv&upload_id=${upload.upload_id}`, 'id,name\n1,Ada\n2,Bo\n');
  await synced(demo, source_id);
  const stream = (await streamsOf(demo, source_id)).get('people');
  const preview = ok(await demo(previewDataset, { params: { dataset_id: stream?.destination.dataset_id ?? '' } }));
  t.match(preview.rows.length, 2);
  const direct = join(platform.environment.WEIR_UPLOAD_DIR ?? '', (await platform.tenant('demo')).tenantId);
  const { source_id: spy } = await filesSource(other, 'spy', join(direct, upload.upload_id));
  t.match((await discovered(other, spy)).failure, { code: 'folder_not_allowed' });
  ok(await demo(deleteSource, { params: { source_id } }));
  ok(await demo(deleteUpload, { params }));
  t.match(refusal(await demo(getUpload, { params })), /not_found/);
});

t.test('a caller breaks off → nothing is left of the upload', async (t) => {
  const platform = await sharedPlatform(t);
  const token = await platform.token('cut');
  const { port, hostname } = new URL(platform.url);
  const dir = join(platform.environment.WEIR_UPLOAD_DIR ?? '', (await platform.tenant('cut')).tenantId);
  const client = connect(Number(port), hostname);
  client.write(`POST /api/v1/uploads?name=a.csv HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`);
  client.write(`X-Tenant-ID: ${platform.alias('cut')}\r\nContent-Type: ${OCTETS}\r\nContent-Length: 1000\r\n\r\nid\n`);
  const parts = () => readdir(join(dir, '.parts')).catch(() => [] as string[]);
  await until('the file begins to arrive', async () => (await parts()).length === 1);
  client.destroy();
  await until('it is removed', async () => (await parts()).length === 0);
  t.strictSame(ok(await (await platform.as('cut'))(listUploads)).items, []);
});
