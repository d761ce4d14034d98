import { keptAnswer } from '@weir/turns';
import t from 'tap';

t.test('however many ask at once → the work is done once, and its answer is kept for a second', async (t) => {
  let [now, runs] = [0, 0];
  const answers: ((up: boolean) => void)[] = [];
  const asked = () =>
    new Promise<boolean>((resolve) => {
      runs += 1;
      answers.push(resolve);
    });
  const check = keptAnswer(asked, 1_000, () => now);
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
  const broken = keptAnswer(async () => Promise.reject(new Error('gone')), 1_000);
  await t.rejects(Promise.all([broken(), broken()]), { message: 'gone' });
});
