import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { PRODUCTION_VALUES } from '../../test/production-values.ts';
import { DEVELOPMENT_DEFAULTS, developmentDefaults } from '../src/config/development-defaults.ts';

const folder = t.testdir({
  data: { 'secrets.json': '{}', 'identity-provider': {}, 'credential.key': '', warehouse: { bronze: {} } },
  etc: { 'secrets.json': '{}', 'credential.key': '' },
});
const at = (...names: string[]) => join(folder, ...names);
const production = { ...PRODUCTION_VALUES, WEIR_MODE: 'production', IDP_URL: 'https://id.example.com' };
const namesOf = (values: object, program = 'api') =>
  developmentDefaults({ ...production, ...values }, program).map((fault) => fault.split(' ')[0]);
const SHA256 = 'ab'.repeat(32);

t.test('every development default → refused by name in staging and production, all in one list', async (t) => {
  const defaults = {
    WEIR_RELEASE_SHA: 'unreleased',
    WEIR_IMAGE_DIGEST: 'none',
    IDP_ISSUER: 'http://127.0.0.1:4000',
    IDP_URL: 'http://id.example.com',
    WEIR_CREDENTIAL_KEY_FILE: at('data', 'credential.key'),
    WEIR_CREDENTIAL_PREVIOUS_KEY_FILE: at('data', 'credential.key'),
    WEIR_WAREHOUSE: at('data', 'warehouse'),
    WEIR_RUN_LOG_DIR: at('data', 'run-logs'),
    WEIR_ENGINE_WAIVERS: 'rootful',
  };
  t.strictSame(
    DEVELOPMENT_DEFAULTS.flatMap(({ names }) => names),
    Object.keys(defaults),
  );
  for (const WEIR_MODE of ['staging', 'production']) {
    t.strictSame(namesOf({ ...defaults, WEIR_MODE }), Object.keys(defaults), WEIR_MODE);
  }
  t.strictSame(namesOf({ ...defaults, WEIR_MODE: 'development' }), []);
  t.strictSame(namesOf({}), []);
});

t.test('a release and an image → whole digests only, and only where the program names them', async (t) => {
  for (const sha of ['abc123', 'f'.repeat(41), 'F'.repeat(40), `${'f'.repeat(40)}\n`, 'g'.repeat(40)]) {
    t.strictSame(namesOf({ WEIR_RELEASE_SHA: sha }), ['WEIR_RELEASE_SHA'], sha);
  }
  t.strictSame(namesOf({ WEIR_RELEASE_SHA: SHA256 }), []);
  for (const digest of [SHA256, 'sha256:abc', `sha512:${SHA256}`, `image@sha256:${SHA256}`]) {
    t.strictSame(namesOf({ WEIR_IMAGE_DIGEST: digest }), ['WEIR_IMAGE_DIGEST'], digest);
  }
  const none = { WEIR_RELEASE_SHA: 'unreleased', WEIR_IMAGE_DIGEST: 'none' };
  t.strictSame(namesOf(none, 'worker'), ['WEIR_RELEASE_SHA']);
  t.strictSame(namesOf(none, 'operator'), []);
});

t.test('an issuer needs TLS everywhere, where keys come from only beyond this machine', async (t) => {
  for (const local of ['http://127.0.0.1:1', 'http://localhost', 'http://[::1]:8080/realms']) {
    t.strictSame(namesOf({ IDP_ISSUER: local }), ['IDP_ISSUER'], local);
    t.strictSame(namesOf({ IDP_URL: local }), [], local);
  }
  for (const foreign of ['http://localhost.example.com', 'http://127.0.0.1.example.com', 'ftp://127.0.0.1']) {
    t.strictSame(namesOf({ IDP_URL: foreign }), ['IDP_URL'], foreign);
  }
});

t.test('a place in a data folder of weir dev up → refused however it is spelt; other places are not', async (t) => {
  const inside = at('data', 'warehouse', 'bronze');
  for (const place of [inside, join(inside, 'none', 'yet'), `${at('etc')}/../data/warehouse`]) {
    t.strictSame(namesOf({ WEIR_WAREHOUSE: place }), ['WEIR_WAREHOUSE'], place);
    t.strictSame(namesOf({ WEIR_WAREHOUSE: pathToFileURL(place).href }), ['WEIR_WAREHOUSE'], place);
  }
  for (const place of ['s3://data/warehouse', at('etc', 'warehouse'), 'file://%zz', 'warehouse']) {
    t.strictSame(namesOf({ WEIR_WAREHOUSE: place, WEIR_CREDENTIAL_KEY_FILE: at('etc', 'credential.key') }), [], place);
  }
});
