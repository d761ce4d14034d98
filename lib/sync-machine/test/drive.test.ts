import t from 'tap';
import { draw, drive, type Machine } from '../src/index.ts';

/** Asks for as many things as it is told, and ends when all are done. */
const counter: Machine<{ left: number; seen: string[] }, string, string> = {
  initial: { left: 0, seen: [] },
  step: ({ left, seen }, event) =>
    event === 'start'
      ? { state: { left: 3, seen }, effects: ['a', 'b', 'c'] }
      : { state: { left: left - 1, seen: [...seen, event] }, effects: [] },
  hasEnded: ({ left, seen }) => left === 0 && seen.length > 0,
};

t.test('effects are performed beside each other, and each answer is told', async (t) => {
  const started: string[] = [];
  const driver = drive(counter, async (effect) => {
    started.push(effect);
    return `${effect} is done`;
  });
  driver.send('start');
  t.strictSame(started, ['a', 'b', 'c'], 'all are under way at once');
  t.strictSame((await driver.ended).seen.sort(), ['a is done', 'b is done', 'c is done']);
  driver.send('late');
  t.equal((await driver.ended).seen.length, 3, 'nobody listens after the end');
});

t.test('an effect that could not be tried rejects', async (t) => {
  const driver = drive(counter, () => Promise.reject(new Error('a fault of ours')));
  driver.send('start');
  await t.rejects(driver.ended, { message: 'a fault of ours' });
});

t.test('equal seeds draw equal numbers, all from 0 to below 1', async (t) => {
  let seed = 42;
  let sum = 0;
  for (let count = 0; count < 10_000; count += 1) {
    const { value, seed: next } = draw(seed);
    if (value < 0 || value >= 1 || draw(seed).value !== value) t.fail(`drawn from ${seed}: ${value}`);
    sum += value;
    seed = next;
  }
  t.ok(Math.abs(sum / 10_000 - 0.5) < 0.02);
});
