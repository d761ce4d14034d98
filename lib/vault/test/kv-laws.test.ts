import { inspect } from 'node:util';
import { CallerError } from '@weir/caller';
import fc from 'fast-check';
import t from 'tap';
import type { Exchange, StoreAnswer } from '../src/kv/exchange.ts';
import { kvSecretStore } from '../src/kv/kv-secret-store.ts';
import { revealJson, secretValues } from '../src/secret-values.ts';
import { VaultError } from '../src/vault-error.ts';

const RUNS = { numRuns: 1000 };
const ID = '018f0000-0000-7000-8000-000000000001';
const PATH = { tenantId: ID, credentialId: ID };
const session = { token: async () => 'token', accepted: () => undefined, instead: async () => undefined };
const storeOver = (exchange: Exchange) => kvSecretStore({ exchange, session, mount: 'weir' });
const one = (value: unknown) => secretValues([['/password', value]]);

/** What may befall a request: nothing, or a loss before or after the store has done its work. */
const FATES = [
  'answered',
  'unsent',
  'lost-before',
  'lost-after',
  '500-before',
  '500-after',
  'sealed',
  'refused',
] as const;
type Fate = (typeof FATES)[number];

/** A server of KV version 2 whose requests meet the fates in order; the rest are answered. */
function fatefulServer(fates: readonly Fate[]) {
  const versions: unknown[] = [];
  const left = [...fates];
  const metadata = (version: number) => ({ version, deletion_time: '' });
  const work = (method: string, path: string, body: object | undefined): StoreAnswer => {
    const { options, data } = (body ?? {}) as { options?: { cas?: number }; data?: unknown };
    if (method === 'POST') {
      if (options?.cas !== versions.length) {
        const errors = ['check-and-set parameter did not match the current version'];
        return { status: 400, body: { errors } };
      }
      versions.push(data);
      return { status: 200, body: { data: metadata(versions.length) } };
    }
    const version = Number(new URLSearchParams(path.split('?')[1]).get('version') ?? versions.length);
    const found = versions[version - 1];
    if (found === undefined) return { status: 404, body: { errors: [] } };
    return { status: 200, body: { data: { data: found, metadata: metadata(version) } } };
  };
  const exchange: Exchange = async ({ method, path, body }) => {
    const fate = left.shift() ?? 'answered';
    if (fate === 'unsent') throw new CallerError('address_unreachable', false);
    if (fate === 'lost-before') throw new CallerError('timed_out', true);
    if (fate === '500-before') return { status: 500, body: undefined };
    if (fate === 'sealed') return { status: 503, body: { errors: ['Vault is sealed'] } };
    if (fate === 'refused') return { status: 403, body: { errors: ['permission denied'] } };
    const answer = work(method, path, body);
    if (fate === 'lost-after') throw new CallerError('connection_lost', true);
    return fate === '500-after' ? { status: 502, body: '<html>' } : answer;
  };
  return { versions, exchange };
}

t.test(
  'only outcome_unknown leaves a doubt: after any other fault nothing was written, after an answer it was',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...FATES), { maxLength: 12 }), fc.nat(3), async (fates, behind) => {
        const { versions, exchange } = fatefulServer(fates);
        const store = storeOver(exchange);
        for (const [at] of fates.entries()) {
          const before = versions.length;
          const after = Math.max(0, before - (at % 4 === 3 ? behind : 0));
          const found = await store.write(PATH, after, one(at)).catch((error: VaultError) => error.code);
          const written = versions.length - before;
          if (typeof found === 'number' && !(written === 1 && found === before + 1)) return false;
          if (typeof found === 'string' && found !== 'outcome_unknown' && written !== 0) return false;
          if (found === 'outcome_unknown' && written > 1) return false;
          if (found === 'version_conflict' && after === before) return false;
        }
        const newest = await store.current(PATH);
        return (newest?.version ?? 0) === versions.length;
      }),
      RUNS,
    );
    t.pass();
  },
);

t.test(
  'whatever a store answers, a call gives what was asked for or a fault of the vault that quotes nothing',
  async (t) => {
    const CANARY = 'CNRY-answer';
    const anyJson = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.constant({ errors: [CANARY, null, {}] }));
    const anyPart = fc.record(
      {
        data: fc.record(
          {
            version: anyJson,
            deletion_time: anyJson,
            data: anyJson,
            metadata: fc.oneof(anyJson, fc.record({ version: anyJson, deletion_time: anyJson }, { requiredKeys: [] })),
          },
          { requiredKeys: [] },
        ),
        errors: anyJson,
      },
      { requiredKeys: [] },
    );
    const anyAnswer = fc.record({ status: fc.integer({ min: 100, max: 599 }), body: fc.oneof(anyJson, anyPart) });
    const often = fc.oneof(
      anyAnswer,
      anyPart.map((body) => ({ status: 200, body })),
    );
    await fc.assert(
      fc.asyncProperty(often, async (answer) => {
        const store = storeOver(async () => answer as StoreAnswer);
        const calls = [
          () => store.read(PATH, 1),
          () => store.current(PATH),
          () => store.write(PATH, 0, one(CANARY)),
          () => store.takesBlindWrites(PATH),
        ];
        for (const call of calls) {
          const failed = await call().then(
            () => undefined,
            (error: unknown) => error,
          );
          if (failed === undefined) continue;
          if (!(failed instanceof VaultError) || inspect(failed, { showHidden: true }).includes('CNRY')) return false;
        }
        return store.ping().then((well) => typeof well === 'boolean');
      }),
      RUNS,
    );
    t.pass();
  },
);

t.test('a read gives the version that was asked for, or none', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue(), { maxLength: 6 }),
      fc.integer({ min: -1, max: 8 }),
      async (values, asked) => {
        const { exchange } = fatefulServer([]);
        const store = storeOver(exchange);
        for (const [at, value] of values.entries()) await store.write(PATH, at, one(value));
        const found = await store.read(PATH, asked).catch((error: VaultError) => error.code);
        if (asked < 1 || asked > values.length) return found === 'version_missing';
        return typeof found !== 'string' && revealJson(found) === revealJson(one(values[asked - 1]));
      },
    ),
    { numRuns: 300 },
  );
  t.pass();
});
