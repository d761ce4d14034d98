import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { type TestMountOptions, testMount, testStore } from '../../test/secret-mount.ts';
import { commandLine } from './command-line.ts';

const store = await testStore(t);

/** The command line for a mount of its own; `given` replaces single options. */
async function check(t: Test, options: TestMountOptions = {}, given: Record<string, string> = {}) {
  const { mount, environment } = await testMount(t, { store, ...options });
  const { weir, home } = commandLine(t);
  const token = path.join(home, 'operator.token');
  writeFileSync(token, store.token);
  chmodSync(token, 0o400);
  const file = (role: 'api' | 'worker', kind: string) => environment(role)[`SECRET_STORE_${kind}_ID_FILE`] ?? '';
  const asked: Record<string, string> = {
    ...{ address: store.address, 'ca-file': store.caFile, mount, 'token-file': token },
    ...{ 'api-role-id-file': file('api', 'ROLE'), 'api-secret-id-file': file('api', 'SECRET') },
    ...{ 'worker-role-id-file': file('worker', 'ROLE'), 'worker-secret-id-file': file('worker', 'SECRET') },
    ...given,
  };
  const line = Object.entries(asked).flatMap(([name, value]) => [`--${name}`, value]);
  const run = (...more: string[]) => weir(['ops', 'secret-store', 'check', ...line, ...more]);
  return { run, mount };
}

t.test('ops secret-store check is silent and ends with 0 when everything is as it must be', async (t) => {
  const { run } = await check(t);
  t.match(await run('-o', 'json'), { code: 0, stdout: /"items": \[\]/, stderr: /facts, 0 not as they must be/ });
  const { code, stdout } = await run('--all', '-o', 'json');
  t.equal(code, 0);
  t.ok((JSON.parse(stdout) as { items: { status: string }[] }).items.length > 50);
});

t.test('anything that is more or less is named, and the command ends with 1', async (t) => {
  const { run } = await check(t, {
    config: { max_versions: 10 },
    policy: (role, project) => (role === 'worker' ? project.replace('"read"', '"read", "update"') : project),
  });
  const { code, stdout } = await run();
  t.equal(code, 1);
  t.match(stdout, /fault +mount +max_versions +at least 100000 +10/);
  t.match(stdout, /fault +worker +may on \S+ +read +read, update/);
});

t.test('a store or a file that cannot be used is told by its own ending, without what is in it', async (t) => {
  const canary = 'CNRY-5d2e';
  for (const [given, code] of [
    [{ address: 'https://127.0.0.1:9' }, 69],
    [{ address: canary }, 2],
    [{ 'ca-file': `/${canary}` }, 2],
    [{ 'token-file': `/${canary}` }, 2],
    [{ 'api-secret-id-file': `/${canary}` }, 1],
  ] as const) {
    const { run } = await check(t, {}, given);
    const found = await run();
    t.equal(found.code, code, JSON.stringify(given));
    t.notMatch(`${found.stdout}${found.stderr}`, canary);
  }
});
