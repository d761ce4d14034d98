import { type ChildProcess, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BegunChild } from '@weir/work';
import { spareChild } from '@weir/work';
import fc from 'fast-check';
import t from 'tap';
import { until } from '../../test/until.ts';

const SLOTS = 3;
const HASTY_MS = 20;

/** Processes that only note that they are there. */
function someProcesses() {
  const living = new Set<BegunChild>();
  const begin = (): BegunChild => {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const discard = () => {
      living.delete(begun);
      resolve();
      return gone;
    };
    const process = { ref() {}, unref() {}, channel: undefined } as unknown as ChildProcess;
    const begun = { process, gone, watch: () => () => undefined, discard };
    living.add(begun);
    return begun;
  };
  return { living, begin };
}

t.test('the process that waits is the next attempt’s, and no other’s', async (t) => {
  const { living, begin } = someProcesses();
  const spare = spareChild(begin);
  const first = spare.take();
  t.equal(living.size, 1, 'none waits before one is wanted');
  spare.refill();
  spare.refill();
  t.equal(living.size, 2, 'one waits, however often it is asked for');
  const second = spare.take();
  const third = spare.take();
  t.equal(living.size, 3, 'one was there, one began');
  t.equal(new Set([first, second, third]).size, 3);
});

t.test('a process that is lost while it waits is given to nobody', async (t) => {
  const { living, begin } = someProcesses();
  const spare = spareChild(begin);
  spare.refill();
  const [lost] = living;
  await lost?.discard();
  t.not(spare.take(), lost);
  t.equal(living.size, 1);
});

t.test('a process that is kept → its owner’s for a short time, and ended where another begins', async (t) => {
  const { living, begin } = someProcesses();
  const spare = spareChild(begin, HASTY_MS);
  const first = spare.take('acme');
  spare.keep(first, 'acme');
  spare.refill();
  t.strictSame([...living], [first], 'none waits beside it');
  t.equal(spare.take('acme'), first);
  spare.keep(first, 'acme');
  const second = spare.take('globex');
  t.strictSame([...living], [second]);
  spare.keep(second, 'globex');
  const third = spare.take();
  t.strictSame([...living], [third]);
  spare.keep(third, 'acme');
  await until('it has ended', async () => !living.has(third));
  t.not(spare.take('acme'), third, 'its owner came too late');
  spare.keep(spare.take('acme'), 'acme');
  await spare.drop();
  t.equal(living.size, 1);
});

t.test('law: there are never more processes than slots, whatever begins and ends', async (t) => {
  const owners = ['acme', 'globex', undefined];
  const step = fc.tuple(
    fc.constantFrom('sync begins', 'replay begins', 'sync ends', 'sync is kept', 'replay ends'),
    fc.constantFrom(...owners),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { living, begin } = someProcesses();
      const spare = spareChild(begin);
      const syncs: BegunChild[] = [];
      const replays: BegunChild[] = [];
      for (const [what, owner] of steps) {
        const isFree = syncs.length + replays.length < SLOTS;
        if (what === 'sync begins' && isFree) syncs.push(spare.take(owner));
        if (what === 'replay begins' && isFree) {
          await spare.drop();
          replays.push(begin());
        }
        const kept = what === 'sync is kept' ? syncs.pop() : undefined;
        if (kept !== undefined) spare.keep(kept, String(owner));
        const ended = what === 'sync ends' ? syncs.pop() : what === 'replay ends' ? replays.pop() : undefined;
        await ended?.discard();
        if (ended !== undefined && what === 'sync ends') spare.refill();
        if (living.size > SLOTS || new Set([...syncs, ...replays]).size !== syncs.length + replays.length) return false;
      }
      return syncs.every((child) => living.has(child));
    }),
  );
  t.pass();
});

t.test('a process that waits, within bounds of the system or without → keeps no program from its end', async (t) => {
  const program = new URL('./fixtures/ends-with-spare.ts', import.meta.url).pathname;
  const ways = [['plain'], ['kept'], ['bounded'], ...(process.getuid?.() === 0 ? [['in a view', t.testdir()]] : [])];
  for (const how of ways) {
    const args = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', program, ...how];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    t.match(stdout, /^\d+\n$/, String(how[0]));
  }
});
