import { type Failure, givenUp, isGivenUp } from '@weir/work';
import fc from 'fast-check';
import t from 'tap';

/** How one attempt ends: whether it has brought a stream forward, whose fault its failure is, and whether it was stopped. */
interface End {
  gotOn: boolean;
  isOwnFault: boolean;
  isStopped: boolean;
}

/** The attempt with which a run ends by its history, told in the words of the rule; undefined when it goes on. */
function lastOf(history: readonly End[]): number | undefined {
  let idle = 0;
  for (const [at, { gotOn, isOwnFault, isStopped }] of history.entries()) {
    if (gotOn) idle = 0;
    else if (!isStopped) idle += 1;
    if (!isStopped && idle >= (isOwnFault ? 3 : 6)) return at + 1;
  }
  return undefined;
}

/** The same, as attempts judge it, each of which knows how many there were, which of them were stopped and which was the last to get on. */
function judged(history: readonly End[]): number | undefined {
  let gotOnAt = 0;
  const uncounted: number[] = [];
  for (const [at, { gotOn, isOwnFault, isStopped }] of history.entries()) {
    const attempts = at + 1;
    if (gotOn) gotOnAt = attempts;
    if (isStopped) uncounted.push(attempts);
    else if (isGivenUp({ attempts, gotOnAt, uncounted }, isOwnFault ? { isOwnFault } : {})) return attempts;
  }
  return undefined;
}

const ends = (gotOn: boolean, isOwnFault: boolean, times: number): End[] =>
  Array(times).fill({ gotOn, isOwnFault, isStopped: false });
const stops = (times: number): End[] => Array(times).fill({ gotOn: false, isOwnFault: false, isStopped: true });

t.test(
  'a run is given up when attempts in a row got nowhere: three by the connector’s own fault, else six',
  async (t) => {
    const table: readonly (readonly [string, End[], number | undefined])[] = [
      ['nothing but trouble around it', ends(false, false, 7), 6],
      ['five times trouble', ends(false, false, 5), undefined],
      ['a connector that breaks', ends(false, true, 7), 3],
      [
        'one that breaks, and breaks again behind an attempt that got on',
        [...ends(false, true, 2), ...ends(true, true, 1), ...ends(false, true, 4)],
        6,
      ],
      ['one that gets on each time', ends(true, true, 100), undefined],
      ['trouble that ends in a break', [...ends(false, false, 4), ...ends(false, true, 1)], 5],
      ['one that is stopped again and again', stops(100), undefined],
      ['trouble between stops', [...ends(false, false, 3), ...stops(20), ...ends(false, false, 2)], undefined],
      [
        'trouble between stops, for long enough',
        [...ends(false, false, 3), ...stops(20), ...ends(false, false, 9)],
        26,
      ],
      ['a connector that breaks behind stops', [...stops(5), ...ends(false, true, 9)], 8],
    ];
    for (const [name, history, last] of table) t.equal(judged(history), last, name);
  },
);

t.test('law: what each attempt judges by a few numbers is what the whole history says', async (t) => {
  const end = { gotOn: fc.boolean(), isOwnFault: fc.boolean(), isStopped: fc.boolean() };
  const history = fc.array(fc.record(end), { maxLength: 40 });
  fc.assert(fc.property(history, (told) => judged(told) === lastOf(told)));
  t.pass();
});

t.test('law: stops never end a run, and a fault that lasts always does, whatever stops lie between', async (t) => {
  const stopsBefore = fc.array(fc.nat({ max: 9 }), { minLength: 6, maxLength: 6 });
  const isLaw = (before: readonly number[], isOwnFault: boolean) => {
    const faults = before.map((times) => [...stops(times), ...ends(false, isOwnFault, 1)]);
    const last = isOwnFault ? 3 : 6;
    const until = faults.slice(0, last).flat();
    return judged(until) === until.length && judged([...until.slice(0, -1), ...stops(50)]) === undefined;
  };
  fc.assert(fc.property(stopsBefore, fc.boolean(), isLaw));
  t.pass();
});

t.test('a run that is given up keeps its failure and says after how much', async (t) => {
  const failure: Failure = { code: 'c', origin: 'source', retryable: true, detail: 'It broke.', hint: 'Look.' };
  const told = (attempts: number, gotOnAt: number) => givenUp(failure, { attempts, gotOnAt, uncounted: [] });
  t.match(told(6, 0), {
    ...failure,
    detail: 'It broke. The run was given up after 6 attempts, none of which committed anything new.',
  });
  t.match(told(9, 3), {
    detail: 'It broke. The run was given up after 9 attempts, the last 6 without a commit of anything new.',
  });
});
