import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { SecretPath, SecretStore } from '../secret-store.ts';
import { revealJson, sameValues, secretValues } from '../secret-values.ts';
import { VaultError } from '../vault-error.ts';

/** The part of a tap test that the suite needs. */
export interface StoreSuite {
  test(name: string, body: (t: { equal(found: unknown, wanted: unknown): unknown }) => unknown): unknown;
}

const place = (): SecretPath => ({ tenantId: randomUUID(), credentialId: randomUUID() });
const one = (value: unknown) => secretValues([['/password', value]]);
const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof VaultError ? error.code : inspect(error)),
  );

/** Every kind of JSON value, names that objects of JavaScript treat in their own way, and text beyond ASCII. */
const VALUES: readonly unknown[] = [
  ...['', ' ', 'pa"ss\\word', '\u0000\u001f\u007f', 'ключ 🗝', '\u2028', '-----BEGIN KEY-----\nMII=\n'],
  ...[0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, true, false, null, [], {}],
  ...[[[1, ['two']]], { b: { a: [null] }, a: '' }, JSON.parse('{"__proto__":{"constructor":1},"toString":"x"}')],
];
const WRITERS = 8;
const VERSIONS = 20;

/** Runs the rules that every secret store keeps, one test each, on paths of their own. */
export function secretStoreConformance(t: StoreSuite, store: SecretStore): void {
  t.test('what was written comes back as the same JSON, field by field', async (t) => {
    for (const value of VALUES) {
      const [path, values] = [
        place(),
        secretValues([
          ['/password', value],
          ['/nested/key~1a', 'x'],
          ['', value],
        ]),
      ];
      t.equal(await store.write(path, 0, values), 1);
      t.equal(sameValues(await store.read(path, 1), values), true);
    }
  });
  t.test('each version stays what it was, and the newest is told', async (t) => {
    const path = place();
    for (let after = 0; after < VERSIONS; after += 1) t.equal(await store.write(path, after, one(after)), after + 1);
    for (const version of [1, 2, VERSIONS]) {
      t.equal(revealJson(await store.read(path, version)), JSON.stringify({ '/password': version - 1 }));
    }
    const newest = await store.current(path);
    t.equal(newest?.version, VERSIONS);
    t.equal(newest && revealJson(newest.values), JSON.stringify({ '/password': VERSIONS - 1 }));
  });
  t.test('a version that is not there is version_missing, and a secret that is not there has no newest', async (t) => {
    const path = place();
    t.equal(await codeOf(store.read(path, 1)), 'version_missing');
    t.equal(await store.current(path), undefined);
    await store.write(path, 0, one('x'));
    for (const version of [0, 2, -1, 1.5]) t.equal(await codeOf(store.read(path, version)), 'version_missing');
  });
  t.test('a write that follows another version than the newest is version_conflict and changes nothing', async (t) => {
    const path = place();
    await store.write(path, 0, one('first'));
    for (const after of [0, 2, 100]) t.equal(await codeOf(store.write(path, after, one('second'))), 'version_conflict');
    t.equal((await store.current(path))?.version, 1);
    t.equal(revealJson(await store.read(path, 1)), '{"/password":"first"}');
  });
  t.test('of writers that follow the same version one wins', async (t) => {
    const path = place();
    const tries = Array.from({ length: WRITERS }, (_, at) => codeOf(store.write(path, 0, one(at))));
    const outcomes = await Promise.all(tries);
    t.equal(outcomes.filter((code) => code === undefined).length, 1);
    t.equal(outcomes.filter((code) => code === 'version_conflict').length, WRITERS - 1);
    const [winner] = [outcomes.indexOf(undefined)];
    t.equal(revealJson(await store.read(path, 1)), JSON.stringify({ '/password': winner }));
  });
  t.test('secrets of other tenants and credentials are apart', async (t) => {
    const [path, other] = [place(), place()];
    await store.write(path, 0, one('mine'));
    for (const apart of [
      { ...path, tenantId: other.tenantId },
      { ...path, credentialId: other.credentialId },
    ]) {
      t.equal(await store.current(apart), undefined);
      t.equal(await codeOf(store.read(apart, 1)), 'version_missing');
    }
  });
  t.test('values that would not come back as they are, and paths that are none of ours, are refused', async (t) => {
    const path = place();
    t.equal(await codeOf(store.write(path, 0, one('\ud800'))), 'store_refused');
    t.equal(await codeOf(store.write(path, 0, one({ '\udc00': 1 }))), 'store_refused');
    t.equal(await codeOf(store.write(path, 0, one('x'.repeat(600 * 1024)))), 'store_refused');
    t.equal(await store.current(path), undefined);
    for (const tenantId of ['..', `../${path.tenantId.slice(3)}`, path.tenantId.toUpperCase().replaceAll(/\d/g, 'A')]) {
      const refused = await store.write({ ...path, tenantId }, 0, one('x')).then(
        () => 'taken',
        (error: Error) => error.name,
      );
      t.equal(refused, 'TypeError');
    }
  });
  t.test('a store that works says so', async (t) => t.equal(await store.ping(), true));
}
