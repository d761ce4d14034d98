import { copyTokens } from '@weir/work';
import t from 'tap';

t.test('no more work than tokens goes on at once, and all of it is done', async (t) => {
  const tokens = copyTokens(2);
  let running = 0;
  let most = 0;
  const work = async () => {
    await tokens.take();
    running += 1;
    most = Math.max(most, running);
    await new Promise((resume) => setImmediate(resume));
    running -= 1;
    tokens.give();
  };
  await Promise.all(Array.from({ length: 10 }, work));
  t.equal(most, 2);
  t.equal(running, 0);
});
