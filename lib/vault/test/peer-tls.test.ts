import t from 'tap';
import { databaseTls, engineTls, Secret } from '../src/index.ts';

t.test('a far database is verified in full, and a far engine over TLS, but in development', async (t) => {
  for (const WEIR_MODE of ['production', 'staging', undefined]) {
    const settings = { WEIR_MODE };
    for (const host of ['db.example', '10.0.0.5', '127.example', 'localhost.example', '::2']) {
      t.match(databaseTls(settings, host), { ssl: { rejectUnauthorized: true, minVersion: 'TLSv1.2' }, faults: [] });
      t.strictSame(engineTls(settings, host), { tls: {}, faults: [] });
    }
    for (const host of ['localhost', '127.0.0.1', '127.8.0.9', '::1', '/run/postgresql']) {
      t.strictSame(databaseTls(settings, host), { ssl: false, faults: [] });
      t.strictSame(engineTls(settings, host), { tls: undefined, faults: [] });
    }
  }
  const here = { WEIR_MODE: 'development' };
  t.equal(databaseTls(here, 'db.example').ssl, false);
  t.equal(engineTls(here, 'engine.example').tls, undefined);
  t.match(databaseTls({ ...here, WEIR_DB_SSL_MODE: 'require' }, '127.0.0.1').ssl, { rejectUnauthorized: false });
  t.strictSame(engineTls({ ...here, WEIR_WORKFLOW_TLS: 'on' }, '127.0.0.1').tls, {});
});

t.test('what cannot be followed is a fault by the name of its setting, without its value', async (t) => {
  const canary = 'zz canary';
  const database = (settings: object) => databaseTls({ WEIR_MODE: 'production', ...settings }, 'db.example').faults;
  const key = new Secret(canary);
  t.strictSame(database({ WEIR_DB_SSL_ROOT_CERT: canary }), ['WEIR_DB_SSL_ROOT_CERT holds no certificate in PEM']);
  t.match(database({ WEIR_DB_SSL_KEY: key }), [
    /^WEIR_DB_SSL_CERT and WEIR_DB_SSL_KEY go together/,
    /^WEIR_DB_SSL_KEY holds no/,
  ]);
  t.match(database({ WEIR_DB_SSL_MODE: 'disable', WEIR_DB_SSL_CERT: canary }), [
    /^WEIR_DB_SSL_CERT is set, but TLS is off/,
  ]);
  const engine = engineTls({ WEIR_WORKFLOW_TLS_SERVER_NAME: canary, WEIR_WORKFLOW_TLS_KEY: key }, '127.0.0.1').faults;
  t.match(engine, [/^WEIR_WORKFLOW_TLS_KEY is set, but TLS is off/, /^WEIR_WORKFLOW_TLS_SERVER_NAME is set/]);
  t.notMatch(engine.join(), canary);
});
