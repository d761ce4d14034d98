import t from 'tap';
import { ALL_FENCES, type Fences } from '../src/index.ts';
import { explore, seedsBetween } from './sim/explore.ts';

const SEEDS = 3_000;
const FENCES = Object.keys(ALL_FENCES) as (keyof Fences)[];

for (const fence of FENCES) {
  t.test(`without the fence ${fence} a promise is broken`, async (t) => {
    const { violations, worlds } = explore(seedsBetween(0, SEEDS), {
      fences: { ...ALL_FENCES, [fence]: false },
      most: 1,
    });
    t.equal(violations.length, 1, `found after ${worlds} worlds: ${violations[0]?.violation}`);
  });
}
