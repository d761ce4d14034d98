import t from 'tap';
import { testMount } from '../../../test/secret-mount.ts';
import { openVault } from '../src/open-vault.ts';
import { memorySecretStore, secretStoreConformance } from '../src/testing.ts';

t.test('the store in memory', async (t) => secretStoreConformance(t, memorySecretStore()));

t.test('a real OpenBao', async (t) => {
  const { vault, faults } = openVault((await testMount(t)).environment('api'), {});
  t.strictSame(faults, []);
  if (vault.store) secretStoreConformance(t, vault.store);
});
