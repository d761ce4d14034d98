import fc from 'fast-check';
import t from 'tap';
import { callTurns, createTurns, inCall, type Taker, TurnRefused, type TurnsOptions } from '../src/index.ts';

/** Time that a test moves by hand. */
function handClock() {
  let now = 0;
  const timers = new Set<{ at: number; call: () => void }>();
  return {
    now: () => now,
    after(ms: number, call: () => void) {
      const timer = { at: now + ms, call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    move(ms: number) {
      now += ms;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.call();
      }
    },
    waits: () => timers.size,
  };
}

const BOUNDS = { maxWaiting: 1_000, maxWaitingOfCaller: 1_000, maxWaitMs: 5_000 };
const ticks = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Turns whose takers are noted in the order in which they are served. */
function desk(options: Partial<TurnsOptions> & Pick<TurnsOptions, 'slots' | 'perTenant' | 'perCaller'>) {
  const clock = handClock();
  const turns = createTurns({ ...BOUNDS, clock, ...options });
  const served: string[] = [];
  const refused: string[] = [];
  const gives: { who: string; give: () => void }[] = [];
  const ask = (tenant: string, caller = 'x', signal?: AbortSignal) => {
    const who: Taker = { tenant, caller };
    const name = `${tenant}${caller === 'x' ? '' : `.${caller}`}`;
    void turns.take(who, signal && { signal: () => signal }).then(
      (give) => {
        served.push(name);
        gives.push({ who: name, give });
      },
      (error) => void refused.push(`${name} ${error instanceof TurnRefused ? error.retryAfterSeconds : error}`),
    );
  };
  const give = async (who?: string) => {
    const at = who === undefined ? 0 : gives.findIndex((one) => one.who === who);
    gives.splice(at, 1)[0]?.give();
    await ticks();
  };
  return { clock, ask, give, served, refused, held: () => gives.map(({ who }) => who) };
}

t.test('a flood of one tenant → each other is served within as many turns as tenants wait', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ tenant: fc.nat({ max: 4 }), caller: fc.nat({ max: 2 }) }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      async (asked, slots) => {
        const { ask, give, served, held, refused } = desk({ slots, perTenant: slots, perCaller: slots });
        for (let flood = 0; flood < 30; flood++) ask('flood', String(flood % 3));
        await ticks();
        for (const { tenant, caller } of asked) ask(`t${tenant}`, String(caller));
        await ticks();
        const tenants = new Set(asked.map(({ tenant }) => `t${tenant}`));
        const before = served.length;
        for (let turn = 0; turn < tenants.size + 1; turn++) await give();
        const firsts = served.slice(before).map((name) => name.split('.')[0]);
        for (const tenant of tenants) t.ok(firsts.includes(tenant), `${tenant} is among ${firsts}`);
        while (held().length > 0) await give();
        t.equal(served.length, 30 + asked.length, 'each in the end');
        t.strictSame(refused, []);
      },
    ),
    { numRuns: 60 },
  );
});

t.test('callers of one tenant take turns, each in the order of asking, and with bounds of their own', async (t) => {
  const { ask, give, served, held } = desk({ slots: 3, perTenant: 2, perCaller: 1 });
  for (const caller of ['a', 'a', 'a', 'b', 'b']) ask('acme', caller);
  await ticks();
  t.strictSame(held(), ['acme.a', 'acme.b'], 'a caller has one, a tenant two; the third is for others');
  ask('globex');
  await ticks();
  t.strictSame(held().at(-1), 'globex');
  while (held().length > 0) await give();
  t.strictSame(served, ['acme.a', 'acme.b', 'globex', 'acme.a', 'acme.b', 'acme.a']);
});

t.test('bounds that hold while others ask → all turns for who is alone, the share once somebody comes', async (t) => {
  const { ask, give, held, clock } = desk({ slots: 4, perTenant: 2, perCaller: 2, whileOthersMs: 1_000 });
  for (let call = 0; call < 12; call++) ask('acme');
  await ticks();
  t.equal(held().length, 4, 'nobody else is there');
  ask('globex');
  await give('acme');
  t.strictSame(held().toSorted(), ['acme', 'acme', 'acme', 'globex'], 'the next turn is theirs');
  await give('acme');
  await give('acme');
  t.strictSame(held().toSorted(), ['acme', 'acme', 'globex'], 'and the first is at its share');
  await give('globex');
  await give('acme');
  t.equal(held().length, 2, 'for as long as they were there lately');
  clock.move(1_001);
  await give('acme');
  t.equal(held().length, 4);
});

t.test('too many wait, or for too long, or go → refused with a time, and only they', async (t) => {
  const { ask, give, refused, held, clock, served } = desk({
    ...{ slots: 1, perTenant: 1, perCaller: 1, maxWaiting: 3, maxWaitingOfCaller: 2 },
  });
  const gone = new AbortController();
  for (let call = 0; call < 4; call++) ask('acme', 'a');
  ask('acme', 'b');
  ask('acme', 'c');
  ask('globex', 'g', gone.signal);
  await ticks();
  t.strictSame(refused, ['acme.a 1', 'acme.c 1']);
  gone.abort('gone');
  await ticks();
  t.equal(refused.at(-1), 'globex.g gone');
  clock.move(4_999);
  ask('globex');
  clock.move(1);
  await ticks();
  t.strictSame(refused.slice(3), ['acme.a 5', 'acme.a 5', 'acme.b 5']);
  await give();
  t.strictSame(served, ['acme.a', 'globex']);
  await give();
  t.strictSame([held().length, clock.waits()], [0, 0], 'nothing is left behind');
});

t.test('a turn is given back once', async (t) => {
  const turns = createTurns({ ...BOUNDS, slots: 1, perTenant: 1, perCaller: 1 });
  const give = await turns.take({ tenant: 'acme', caller: 'a' });
  give();
  give();
  const held = await turns.take({ tenant: 'acme', caller: 'a' });
  const signal = () => AbortSignal.abort(new Error('gone'));
  await t.rejects(turns.take({ tenant: 'globex', caller: 'a' }, { signal }), /gone/);
  held();
  await turns.take({ tenant: 'acme', caller: 'a' });
});

t.test('a call → refused before its first turn alone; work within work has the same turn', async (t) => {
  const options = { ...BOUNDS, slots: 1, perTenant: 1, perCaller: 1, maxWaiting: 0 };
  const inTurn = callTurns({ calls: createTurns(options), background: createTurns(options) });
  const call = { who: () => ({ tenant: 'acme', caller: 'a' }), gone: () => new AbortController().signal };
  const busy = Promise.withResolvers<void>();
  await inCall(call, async () => {
    t.equal(await inTurn('acme', () => inTurn('acme', async () => 'within')), 'within');
    const first = inTurn('acme', () => busy.promise);
    const other = { ...call };
    await t.rejects(
      inCall(other, () => inTurn('acme', async () => 'no')),
      TurnRefused,
    );
    const second = inTurn('acme', async () => 'waits');
    busy.resolve();
    t.equal(await second, 'waits');
    await first;
  });
  t.equal(await inTurn('acme', () => inTurn('acme', async () => 'a sweep').catch(String)), 'a sweep');
});
