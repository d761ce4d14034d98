import t from 'tap';
import { onePerTick } from '../src/index.ts';

const ticks = async (count: number) => {
  for (let tick = 0; tick < count; tick++) await new Promise<void>((resolve) => setImmediate(resolve));
};

t.test('a crowd of strangers → a burst, then one at each pace, each address in its turn', async (t) => {
  let now = 0;
  const timers: { at: number; call: () => void }[] = [];
  const clock = {
    now: () => now,
    after: (ms: number, call: () => void) => {
      timers.push({ at: now + ms, call });
      return () => undefined;
    },
  };
  const enter = onePerTick(clock);
  const entered: string[] = [];
  for (let call = 0; call < 150; call++) void enter('192.0.2.1').then(() => entered.push('crowd'));
  await ticks(300);
  t.equal(entered.length, 100, 'the files of several pages come at once');
  void enter('2001:db8::1').then(() => entered.push('other'));
  for (let round = 0; round < 3; round++) {
    now += 5;
    for (const timer of timers.splice(0)) timer.call();
    await ticks(3);
  }
  t.strictSame(entered.slice(100), ['crowd', 'other', 'crowd'], 'whoever comes alone waits for one of the crowd');
  now += 1_000;
  for (const timer of timers.splice(0)) timer.call();
  await ticks(200);
  t.equal(entered.length, 151);
});
