import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Secret } from '@weir/vault';
import t from 'tap';
import { platformPath } from '../src/boot/plan-platform.ts';
import { Refusal } from '../src/config/refusal.ts';
import { readSettings, SecretSetting } from '../src/config/settings.ts';

const port = Type.Object({ DB_PORT: Type.Integer({ default: 5432, maximum: 65535 }) });
const secret = Type.Object({ DB_PASSWORD: SecretSetting() });

t.test('values come from the environment, from files and from defaults, typed and frozen', async (t) => {
  const file = join(t.testdir(), 'password');
  writeFileSync(file, 'hunter2-very-secret\n');
  const values = readSettings(
    [
      { owner: 'kernel', schema: port },
      { owner: 'sources', schema: secret },
    ],
    { DB_PASSWORD_FILE: file },
  );
  t.equal(values.get('kernel')?.DB_PORT, 5432);
  const password = values.get('sources')?.DB_PASSWORD as Secret;
  t.ok(password instanceof Secret);
  t.equal(password.reveal(), 'hunter2-very-secret');
  t.notMatch(JSON.stringify([...values.values()]), /hunter2/);
  t.throws(() => Object.assign(values.get('kernel') as object, { DB_PORT: 1 }));
});

t.test('a variable that names a file itself → has no form with a second _FILE', async (t) => {
  const schema = Type.Object({ KEY_FILE: Type.Optional(Type.String()) });
  const values = readSettings([{ owner: 'kernel', schema }], { KEY_FILE_FILE: join(t.testdir(), 'absent') });
  t.strictSame({ ...values.get('kernel') }, {});
});

t.test('WEIR_PLATFORM and its file name the manifest, else it is platform.json', async (t) => {
  const WEIR_PLATFORM_FILE = join(t.testdir({ name: '/etc/weir/platform.json\n' }), 'name');
  t.equal(platformPath({ WEIR_PLATFORM_FILE }), '/etc/weir/platform.json');
  t.equal(platformPath({ WEIR_PLATFORM: '/etc/other.json' }), '/etc/other.json');
  t.equal(platformPath({}), join(process.cwd(), 'platform.json'));
});

t.test('all faults of all owners come in one refusal and hold no value', async (t) => {
  const read = () =>
    readSettings(
      [
        { owner: 'kernel', schema: port },
        {
          owner: 'sources',
          schema: Type.Object({ ...secret.properties, MODE: Type.Unsafe({ type: 'string', enum: ['a', 'b'] }) }),
        },
      ],
      { DB_PORT: 'canary-port', MODE: 'canary-mode' },
    );
  t.throws(read, Refusal);
  try {
    read();
  } catch (error) {
    const { faults, message } = error as Refusal;
    t.equal(faults.length, 3);
    t.match(message, /DB_PORT/);
    t.match(message, /DB_PASSWORD is required by sources/);
    t.match(message, /MODE must be one of a, b/);
    t.notMatch(message, /canary/);
  }
});
