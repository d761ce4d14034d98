import t from 'tap';
import { inTurn } from '../measure/paired.ts';

t.test('sides are measured in turn, and the first of several rounds does not count', async (t) => {
  for (const [rounds, order, wanted] of [
    [1, 'ab', [[1], [2]]],
    [
      3,
      'abababab',
      [
        [3, 5, 7],
        [4, 6, 8],
      ],
    ],
  ] as const) {
    let seen = '';
    const side = (name: string) => async () => {
      seen += name;
      return seen.length;
    };
    t.strictSame(await inTurn(rounds, [side('a'), side('b')]), wanted);
    t.equal(seen, order);
  }
});
