import fc from 'fast-check';
import t from 'tap';
import { storeSession } from '../src/kv/session.ts';

const LIFE_MS = 1_200_000;

/** A session whose logins, clock and luck the test decides. */
function session(random = 0.5) {
  const state = { now: 0, logins: 0, down: false };
  const deps = {
    async logIn() {
      state.logins += 1;
      const token = `token-${state.logins}`;
      await Promise.resolve();
      if (state.down) throw new Error('down');
      return { token, lifeMs: LIFE_MS };
    },
    now: () => state.now,
    random: () => random,
  };
  return { state, ...storeSession(deps) };
}

t.test('a token is used for two thirds of its life, a tenth more or less, and then the next one', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), async (random) => {
      const { state, token } = session(random);
      await token();
      state.now = (LIFE_MS * 2 * 0.9) / 3 - 1;
      const before = await token();
      state.now = (LIFE_MS * 2 * 1.1) / 3 + 1;
      return before === 'token-1' && (await token()) === 'token-2';
    }),
    { numRuns: 200 },
  );
  t.pass();
});

t.test('however many ask, one login is under way', async (t) => {
  const { state, token, accepted, instead } = session();
  t.equal(new Set(await Promise.all(Array.from({ length: 100 }, token))).size, 1);
  t.equal(state.logins, 1);
  accepted('token-1');
  const others = await Promise.all(Array.from({ length: 100 }, () => instead('token-1')));
  t.strictSame([...new Set(others)], ['token-2']);
  t.equal(state.logins, 2);
  t.equal(await instead('token-1'), 'token-2', 'who comes late with the old token is given the new one');
  t.equal(state.logins, 2);
});

t.test('while a login fails, a token that is good is used on and asked for again only now and then', async (t) => {
  const { state, token } = session();
  await token();
  state.down = true;
  state.now = LIFE_MS * 0.8;
  for (let asked = 0; asked < 50; asked += 1) t.equal(await token(), 'token-1');
  t.equal(state.logins, 2);
  state.now += 5_001;
  await token();
  t.equal(state.logins, 3);
  state.now = LIFE_MS + 1;
  await t.rejects(token(), /down/);
  state.down = false;
  t.equal(await token(), 'token-5');
});

t.test('a token that the store never took is not exchanged at once: a new one would fare no better', async (t) => {
  const { state, token, accepted, instead } = session();
  const first = await token();
  t.equal(await instead(first), undefined);
  t.equal(state.logins, 1);
  accepted(first);
  t.equal(await instead(first), 'token-2');
  t.equal(await instead('token-2'), undefined);
  state.now += 10_001;
  t.equal(await instead('token-2'), 'token-3');
});
