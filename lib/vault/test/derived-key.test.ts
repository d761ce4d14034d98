import { writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { keyFile } from '../../../test/key-file.ts';
import { openVault, type VaultSettings } from '../src/open-vault.ts';

const folder = t.testdir();

function identityFile(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode: 0o400 });
  return file;
}

const store = (roleId: string): VaultSettings => ({
  ...{ SOURCE_CREDENTIAL_MODE: 'secret_store', SECRET_STORE_ADDR: 'https://127.0.0.1:8200' },
  SECRET_STORE_ROLE_ID_FILE: roleId,
  SECRET_STORE_SECRET_ID_FILE: identityFile(`secret-of-${path.basename(roleId)}`, 'secret'),
});

function derived(settings: VaultSettings, purpose = 'idempotency'): string {
  const { faults, deriveKey } = openVault({ WEIR_MODE: 'production', ...settings }, {});
  t.strictSame(faults, []);
  return deriveKey(purpose).toString('hex');
}

t.test('each process of a deployment derives one key a purpose, in both credential modes', async (t) => {
  const sealed: VaultSettings = { WEIR_CREDENTIAL_KEY_FILE: keyFile(folder) };
  const inline: VaultSettings = { SOURCE_CREDENTIAL_MODE: 'legacy_inline', ...sealed };
  const one = store(identityFile('one', '0a4f3c0e-role'));
  for (const settings of [inline, one]) {
    t.match(derived(settings), /^[0-9a-f]{64}$/);
    t.equal(derived(settings), derived(settings));
    t.not(derived(settings), derived(settings, 'other'));
  }
  t.equal(
    derived(store(identityFile('same', '0a4f3c0e-role\n'))),
    derived(one),
    'the line end is no part of a role id',
  );
  t.equal(derived({ ...one, ...sealed }), derived(inline), 'the key file decides in both modes');
  const others = [{ WEIR_CREDENTIAL_KEY_FILE: keyFile(folder, 'other.key') }, store(identityFile('two', 'role-2'))];
  t.equal(new Set([inline, one, ...others].map((settings) => derived(settings))).size, 4);
});

t.test('development without a key file derives from random bytes', async (t) => {
  const WEIR_MODE = 'development';
  t.not(derived({ WEIR_MODE }), derived({ WEIR_MODE }));
});
