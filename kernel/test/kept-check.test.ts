import t from 'tap';
import { keptCheck } from '../src/boot/kept-check.ts';

t.test('however many ask at once → a check runs once, and its answer is kept for a second', async (t) => {
  let [now, runs] = [0, 0];
  const answers: ((up: boolean) => void)[] = [];
  const asked = () =>
    new Promise<boolean>((resolve) => {
      runs += 1;
      answers.push(resolve);
    });
  const { name, degrades, check } = keptCheck({ name: 'store', degrades: true, check: asked }, () => now);
  t.strictSame([name, degrades], ['store', true]);
  const crowd = Array.from({ length: 50 }, check);
  now = 10_000;
  crowd.push(check());
  answers[0]?.(true);
  t.strictSame([new Set(await Promise.all(crowd)), runs], [new Set([true]), 1], 'one that lasts is not doubled');
  now += 999;
  await check();
  t.equal(runs, 1);
  now += 1;
  const next = check();
  answers[1]?.(false);
  t.strictSame([await next, await check(), runs], [false, false, 2]);
  const broken = keptCheck({ name: 'x', check: async () => Promise.reject(new Error('gone')) });
  t.equal(await broken.check(), false);
});
