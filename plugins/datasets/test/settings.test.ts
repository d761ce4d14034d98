import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '@weir/kernel';
import { readSettings } from '@weir/kernel/boot';
import t from 'tap';
import { checkSettings, datasetSettings } from '../src/settings.ts';

type Settings = Parameters<typeof checkSettings>[0];

/** The settings of an environment, as the plugin gets them. */
const settingsOf = (environment: Record<string, string>): Settings =>
  readSettings([{ owner: 'datasets', schema: datasetSettings }], environment).get('datasets') as Settings;

function faults(environment: Record<string, string>): readonly string[] {
  try {
    checkSettings(settingsOf(environment));
    return [];
  } catch (error) {
    return error instanceof Refusal ? error.faults : [String(error)];
  }
}

const S3_KEYS = {
  OBJECT_STORE_ACCESS_KEY_ID: 'key',
  OBJECT_STORE_SECRET_ACCESS_KEY: 'secret',
  OBJECT_STORE_REGION: 'eu-north-1',
};
const S3 = {
  WEIR_WAREHOUSE: 's3a://bucket/w/',
  OBJECT_STORE_ENDPOINT_URL: 'http://127.0.0.1:1',
  OBJECT_STORE_ACCESS_KEY_ID: 'key',
  OBJECT_STORE_SECRET_ACCESS_KEY: 'secret',
  OBJECT_STORE_REGION: 'eu-north-1',
};

t.test('folders of a tenant beside its own → below the warehouse, and no tenant sees those of another', async (t) => {
  const of = (folders: unknown) =>
    faults({
      WEIR_WAREHOUSE: '/w',
      WEIR_FOREIGN_FOLDERS: typeof folders === 'string' ? folders : JSON.stringify(folders),
    });
  t.strictSame(of({ acme: ['/w/lake/acme', 'file:///w/bronze/acme'], other: ['/w/lake/acme2'] }), []);
  const { folders } = checkSettings(
    settingsOf({ WEIR_WAREHOUSE: 's3a://b/w', WEIR_FOREIGN_FOLDERS: '{"acme":["s3n://b/w/lake/"]}', ...S3_KEYS }),
  );
  t.strictSame([...folders.foreign], [['acme', ['s3://b/w/lake']]]);
  const holds = ['/w', '/', '/w/', '/w/x/..', '/w/bronze', '/w/raw', 'file:/w/gold/'];
  const lies = [
    '/w/bronze/other',
    '/w/bronze/other/t',
    '/w/x/../silver/acme2',
    '/w/raw/shared',
    '/w/registry/shared/t',
  ];
  const outside = ['/x', '/w2/acme', '/w/../x', 's3://w/acme'];
  for (const one of holds)
    t.match(of({ acme: [one] }), [/^WEIR_FOREIGN_FOLDERS opens a folder to acme that holds /], one);
  for (const one of lies) t.match(of({ acme: [one] }), [/that lies in one of another tenant$/], one);
  for (const one of outside) t.match(of({ acme: [one] }), [/that lies outside of WEIR_WAREHOUSE$/], one);
  for (const pair of [
    ['/w/l', '/w/l'],
    ['/w/l', '/w/l/a'],
    ['/w/l/a', '/w/l'],
  ]) {
    t.match(of({ acme: [pair[0]], other: [pair[1]] }), [/to other that is open to another tenant too$/], pair.join());
  }
  for (const text of ['{', '[]', '{"acme":"/w/l"}', '{"acme":[1]}', '{"Not a scope":["/w/l"]}', 'null']) {
    t.match(of(text), [/must be a JSON object/], text);
  }
  t.match(of({ acme: ['lake'] }), [/names no location for acme/]);
});

t.test('settings that this release cannot keep are refused by name, all together', async (t) => {
  t.strictSame(faults({ WEIR_WAREHOUSE: '/w', TABLE_CATALOG_URI: 'postgresql:' }), []);
  t.strictSame(faults({ WEIR_WAREHOUSE: 'file:///w' }), []);
  const both = faults({ WEIR_WAREHOUSE: 'gs://bucket/w', TABLE_CATALOG_URI: 'https://user:secret@rest.invalid' });
  t.match(both, [/^TABLE_CATALOG_URI .*credentials/, /^WEIR_WAREHOUSE /]);
  t.notMatch(both.join(), /secret/, 'nothing of the address is repeated');
  t.match(faults({ WEIR_WAREHOUSE: '/w', TABLE_CATALOG_URI: 'thrift://h' }), [/thrift/]);
  t.match(faults({ WEIR_WAREHOUSE: 's3://bucket' }), [/prefix/]);
});

t.test('a warehouse in S3 is opened with the credentials, the address and the region that are set', async (t) => {
  const { warehouse, store } = checkSettings(settingsOf({ ...S3, WEIR_TABLE_CACHE_DIR: '/copies' }));
  t.equal(warehouse, 's3://bucket/w');
  t.strictSame(store, {
    ...{ warehouse: 's3://bucket/w', scratch: '/copies' },
    s3: { accessKeyId: 'key', secretAccessKey: 'secret', endpoint: 'http://127.0.0.1:1', region: 'eu-north-1' },
  });
  t.equal(checkSettings(settingsOf({ WEIR_WAREHOUSE: '/w' })).store.s3, undefined);
});

t.test('a warehouse in S3 without all that it needs is refused, each fault by its name', async (t) => {
  t.match(faults({ WEIR_WAREHOUSE: S3.WEIR_WAREHOUSE }), [
    /ACCESS_KEY_ID/,
    /SECRET_ACCESS_KEY/,
    /ENDPOINT_URL or .*REGION/,
  ]);
  for (const name of ['OBJECT_STORE_ACCESS_KEY_ID', 'OBJECT_STORE_SECRET_ACCESS_KEY'] as const) {
    const { [name]: _left, ...rest } = S3;
    t.match(faults(rest as Record<string, string>), [new RegExp(`^${name} `)]);
  }
  const bad = { ...S3, OBJECT_STORE_ENDPOINT_URL: 'ftp://user:secret@h' };
  t.match(faults(bad), [/^OBJECT_STORE_ENDPOINT_URL /]);
  t.notMatch(faults(bad).join(), /secret/);
});

t.test('an http address of the catalog is that of a REST catalog, and the token is meant for it alone', async (t) => {
  const uri = 'https://catalog.invalid/api';
  const settings = { WEIR_WAREHOUSE: '/w', TABLE_CATALOG_URI: uri, WEIR_TABLE_CATALOG_TOKEN: 'token' };
  t.strictSame(checkSettings(settingsOf(settings)).catalog, { kind: 'rest', uri, token: 'token' });
  t.strictSame(checkSettings(settingsOf({ WEIR_WAREHOUSE: '/w' })).catalog, { kind: 'postgresql' });
  t.match(faults({ WEIR_WAREHOUSE: '/w', WEIR_TABLE_CATALOG_TOKEN: 'token' }), [/^WEIR_TABLE_CATALOG_TOKEN /]);
});

t.test('a catalog in another Postgres than the service database is refused by name, without its address', async (t) => {
  const service = { WEIR_WAREHOUSE: '/w', DB_HOST: 'db.invalid', DB_PORT: '6000', DB_NAME: 'weir' };
  const said = (TABLE_CATALOG_URI: string, more = {}) => faults({ ...service, ...more, TABLE_CATALOG_URI });
  for (const uri of [
    'postgresql://user:secret@db.invalid:6000/weir',
    'postgresql+psycopg2://DB.invalid:6000/weir',
    'postgres://db.invalid:6000',
    'postgresql:///weir',
    'postgresql://',
  ]) {
    t.strictSame(said(uri), [], uri);
  }
  t.strictSame(said('postgresql://localhost/weir', { DB_HOST: '127.0.0.1', DB_PORT: '5432' }), []);
  for (const uri of [
    'postgresql://user:secret@other.invalid:6000/weir',
    'postgresql://db.invalid/weir',
    'postgresql://db.invalid:6000/secret',
    'postgresql:///secret',
    'postgresql://db.invalid:6000,secret:6000/weir',
    'postgresql://db.invalid:6000/weir?host=secret',
  ]) {
    t.match(said(uri), [/^TABLE_CATALOG_URI names another database than DB_HOST, DB_PORT and DB_NAME/], uri);
    t.notMatch(said(uri).join(), /secret/, 'nothing of the address is repeated');
  }
});

t.test('the key of the store and its secret may come from files', async (t) => {
  const { OBJECT_STORE_ACCESS_KEY_ID: key, OBJECT_STORE_SECRET_ACCESS_KEY: secret, ...rest } = S3;
  const [keyFile, secretFile] = [join(t.testdir(), 'key'), join(t.testdir(), 'secret')];
  writeFileSync(keyFile, `${key}\n`);
  writeFileSync(secretFile, `${secret}\n`);
  const files = { OBJECT_STORE_ACCESS_KEY_ID_FILE: keyFile, OBJECT_STORE_SECRET_ACCESS_KEY_FILE: secretFile };
  t.match(checkSettings(settingsOf({ ...rest, ...files })).store.s3, { accessKeyId: key, secretAccessKey: secret });
});

t.test('the secret of the store does not show where settings are printed', async (t) => {
  const shown = JSON.stringify(settingsOf({ ...S3, OBJECT_STORE_SECRET_ACCESS_KEY: 'hunter2-very-secret' }));
  t.notMatch(shown, /hunter2/);
});
