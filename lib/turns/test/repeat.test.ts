import t from 'tap';
import { PATIENT_MS } from '../../../test/until.ts';
import { repeat } from '../src/index.ts';

t.test('now during a running round → joins it; stop → waits for its end', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let [begun, ended] = [0, 0];
  const repeated = repeat(
    1,
    async () => {
      begun += 1;
      await promise;
      ended += 1;
    },
    t.error,
  );
  const first = repeated.now();
  t.equal(repeated.now(), first);
  const stopped = repeated.stop();
  resolve();
  await stopped;
  t.same([begun, ended], [1, 1]);
});

t.test('a round that fails → its error is reported, and the next round comes', async (t) => {
  const reported: unknown[] = [];
  const second = Promise.withResolvers<void>();
  let rounds = 0;
  const repeated = repeat(
    1,
    async () => {
      rounds += 1;
      if (rounds === 1) throw new Error('away');
      second.resolve();
    },
    (error) => reported.push(error),
  );
  await repeated.now();
  // The timer alone keeps no process alive.
  const alive = setInterval(() => undefined, PATIENT_MS);
  await second.promise;
  clearInterval(alive);
  await repeated.stop();
  t.match(reported, [{ message: 'away' }]);
});
