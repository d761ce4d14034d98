import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { PRODUCTION_VALUES } from '../../test/production-values.ts';
import { DEVELOPMENT_DEFAULTS, developmentDefaults } from '../src/config/development-defaults.ts';
import type { Refusal } from '../src/config/refusal.ts';
import { readSettings, SecretSetting } from '../src/config/settings.ts';

const folder = t.testdir({
  data: { 'secrets.json': '{}', 'identity-provider': {}, 'credential.key': '', warehouse: { bronze: {} } },
  etc: { 'secrets.json': '{}', 'credential.key': '' },
});
const at = (...names: string[]) => join(folder, ...names);
const production = { ...PRODUCTION_VALUES, WEIR_MODE: 'production', IDP_URL: 'https://id.example.com' };
const namesOf = (values: object, program = 'api', places: Record<string, string> = {}) =>
  developmentDefaults({ values: { ...production, ...values }, places }, program).map((fault) => fault.split(' ')[0]);
const SHA256 = 'ab'.repeat(32);

t.test('every development default → refused by name in staging and production, all in one list', async (t) => {
  const defaults = {
    WEIR_RELEASE_SHA: 'unreleased',
    WEIR_IMAGE_DIGEST: 'none',
    IDP_ISSUER: 'http://127.0.0.1:4000',
    IDP_URL: 'http://id.example.com',
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
  const named = (place: string) => namesOf({}, 'api', { WEIR_WAREHOUSE: place });
  const inside = at('data', 'warehouse', 'bronze');
  for (const place of [inside, join(inside, 'none', 'yet'), `${at('etc')}/../data/warehouse`]) {
    t.strictSame(named(place), ['WEIR_WAREHOUSE'], place);
    t.strictSame(named(pathToFileURL(place).href), ['WEIR_WAREHOUSE'], place);
  }
  for (const place of ['s3://data/warehouse', at('etc', 'warehouse'), 'file://%zz', 'warehouse']) {
    t.strictSame(named(place), [], place);
  }
  t.strictSame(namesOf({ WEIR_MODE: 'development' }, 'api', { WEIR_WAREHOUSE: inside }), []);
});

t.test('a setting is a place by its format, and by its form that names a file', async (t) => {
  const place = (format: string) => Type.Optional(Type.String({ format }));
  const mode = { WEIR_MODE: Type.String() };
  const owners = [
    { owner: 'kernel', schema: Type.Object({ ...mode, KEY_FILE: place('file'), DB_KEY: SecretSetting() }) },
    { owner: 'pots', schema: Type.Object({ POTS_DIR: place('folder'), POTS_NOTE: Type.String() }) },
  ];
  const start = (folder: string, WEIR_MODE = 'production') =>
    readSettings(
      owners,
      {
        ...{ WEIR_MODE, KEY_FILE: at(folder, 'credential.key'), DB_KEY_FILE: at(folder, 'credential.key') },
        ...{ POTS_DIR: at(folder, 'pots'), POTS_NOTE: at(folder, 'pots') },
      },
      (read) => developmentDefaults(read, 'api'),
    );
  const refused = (error: Refusal) => error.faults.map((fault) => fault.split(' ')[0]);
  try {
    start('data');
    t.fail('it was not refused');
  } catch (error) {
    t.strictSame(refused(error as Refusal), ['DB_KEY_FILE', 'KEY_FILE', 'POTS_DIR']);
  }
  t.ok(start('etc'));
  t.ok(start('data', 'development'));
});
