import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { createSealer } from '../src/create-sealer.ts';
import type { Sealer, SealPlace } from '../src/sealer.ts';
import { Secret } from '../src/secret.ts';
import { sameValues, secretValues } from '../src/secret-values.ts';
import { testKey } from '../src/testing.ts';
import { VaultError } from '../src/vault-error.ts';

const RUNS = { numRuns: cases(1_000) };
const key = testKey();
const sealer = createSealer(key);

const anyPlace = fc.record<SealPlace>({
  tenantId: fc.uuid(),
  subjectId: fc.uuid(),
  purpose: fc.constantFrom('source', 'discovery'),
});
const anyFields = fc.array(fc.tuple(fc.string(), fc.jsonValue()), { maxLength: 5 });

/** The code of the fault of a call, or what it answered. */
const outcome = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error instanceof VaultError ? error.code : error;
  }
};

t.test('what is sealed opens in its place, with the same JSON, and no two seals are alike', async (t) => {
  fc.assert(
    fc.property(anyFields, anyPlace, (fields, place) => {
      const values = secretValues(fields);
      const [one, two] = [sealer.seal(values, place), sealer.seal(values, place)];
      return one !== two && sealer.kidOf(one) === sealer.kid && sameValues(sealer.open(one, place), values);
    }),
    RUNS,
  );
  t.pass();
});

t.test('a text with one character changed, left out or added does not open', async (t) => {
  const place = { tenantId: 'a', subjectId: 'b', purpose: 'source' } as const;
  const sealed = sealer.seal(secretValues([['/password', 'hunter2']]), place);
  const changes = fc.record({
    at: fc.nat(sealed.length - 1),
    kind: fc.constantFrom('change', 'remove', 'insert'),
    character: fc.constantFrom(...'ABYZabyz0189-_.=+/ '),
  });
  fc.assert(
    fc.property(changes, ({ at, kind, character }) => {
      const rest = sealed.slice(kind === 'insert' ? at : at + 1);
      const changed = `${sealed.slice(0, at)}${kind === 'remove' ? '' : character}${rest}`;
      if (changed === sealed) return true;
      const found = outcome(() => sealer.open(changed, place));
      return found === 'seal_broken' || found === 'seal_key_unknown';
    }),
    RUNS,
  );
  for (const text of ['', 'weir1', 'weir1...', `weir1.${sealer.kid}.AA.AA`, '{"password":"x"}', sealed.toUpperCase()]) {
    t.equal(
      outcome(() => sealer.open(text, place)),
      'seal_broken',
    );
  }
});

t.test('a text that is moved to another tenant, thing or purpose does not open', async (t) => {
  fc.assert(
    fc.property(anyPlace, anyPlace, fc.constantFrom('tenantId', 'subjectId', 'purpose'), (place, other, one) => {
      const sealed = sealer.seal(secretValues([['/token', 'x']]), place);
      const moved = { ...place, [one]: other[one] };
      return moved[one] === place[one] || outcome(() => sealer.open(sealed, moved)) === 'seal_broken';
    }),
    RUNS,
  );
  const glued = { tenantId: 'a', subjectId: 'b', purpose: 'source' } as const;
  const sealed = sealer.seal(new Map(), glued);
  t.equal(
    outcome(() => sealer.open(sealed, { ...glued, tenantId: 'ab', subjectId: '' })),
    'seal_broken',
  );
});

t.test('while keys are changed both open, the present one seals, and what it sealed is not sealed again', async (t) => {
  const next = testKey();
  const [both, onlyNext]: Sealer[] = [createSealer(next, key), createSealer(next)];
  fc.assert(
    fc.property(anyFields, anyPlace, (fields, place) => {
      const values = secretValues(fields);
      const old = sealer.seal(values, place);
      const again = both?.reseal(old, place) ?? '';
      return (
        both !== undefined &&
        onlyNext !== undefined &&
        sameValues(both.open(old, place), values) &&
        sameValues(onlyNext.open(again, place), values) &&
        both.reseal(again, place) === undefined &&
        outcome(() => onlyNext.open(old, place)) === 'seal_key_unknown'
      );
    }),
    { numRuns: 300 },
  );
  t.strictSame(both?.kids, [next.kid, key.kid]);
  t.strictSame(onlyNext?.kids, [next.kid]);
});

t.test('neither a sealed text nor a fault nor anything printed holds a value or a key', async (t) => {
  const canary = `CNRY-${randomBytes(9).toString('hex')}`;
  const place = { tenantId: canary, subjectId: 'b', purpose: 'source' } as const;
  const values = secretValues([['/password', { nested: canary }]]);
  const sealed = sealer.seal(values, place);
  const fault = outcome(() => createSealer(testKey()).open(sealed, place));
  const broken = (() => {
    try {
      return sealer.open(`${sealed}${canary}`, place);
    } catch (error) {
      return error;
    }
  })();
  const printed = [sealed, fault, broken, values, key, sealer, new Secret(canary)].map((thing) =>
    [inspect(thing, { depth: 9, showHidden: true }), String(thing), JSON.stringify(thing)].join(),
  );
  const spellings = [canary, Buffer.from(canary).toString('base64').slice(0, -4), Buffer.from(canary).toString('hex')];
  const keys = ['hex', 'base64', 'base64url'].map((form) => key.key.reveal().toString(form as 'hex'));
  for (const spelling of [...spellings, ...keys]) t.notMatch(printed.join(), spelling);
});

t.test('two spellings of the same JSON are the same values, others are not', async (t) => {
  const one = secretValues([
    ['/a', { x: 1, y: [null] }],
    ['/b', 'c'],
  ]);
  t.equal(
    sameValues(
      one,
      secretValues([
        ['/b', 'c'],
        ['/a', { y: [null], x: 1 }],
      ]),
    ),
    true,
  );
  for (const fields of [
    [['/b', 'c']],
    [
      ['/a', { x: 1, y: [] }],
      ['/b', 'c'],
    ],
    [
      ['/a', { x: '1', y: [null] }],
      ['/b', 'c'],
    ],
  ]) {
    t.equal(sameValues(one, secretValues(fields as [string, unknown][])), false);
  }
});
