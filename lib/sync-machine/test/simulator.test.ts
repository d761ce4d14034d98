import { readFileSync } from 'node:fs';
import t from 'tap';
import { coverageText, explore, seedsBetween } from './sim/explore.ts';
import { simulate } from './sim/simulate.ts';

/** Worlds of one test run; the lane `simulator` lives through 100,000. */
const SEEDS = 300;
/** A world in which a commit ends superseded, which one world in 600 reaches. */
const RARE = 690;
/** Seeds that once broke a promise. */
const KNOWN: number[] = JSON.parse(readFileSync(new URL('./seeds.json', import.meta.url), 'utf8'));

/** What the worlds of one test run have to reach, or they prove less than they seem to. */
const REACHED = [
  ...['commit ended committed', 'commit ended refused', 'commit ended reused', 'commit ended superseded'],
  ...['commit ended base_moved', 'commit removing', 'commit waiting', 'commit promoting', 'crash', 'sync failed'],
  ...['recovery finish', 'recovery fence', 'recovery drop'],
  ...['move late', 'move lost', 'move applied, answer lost', 'promote late', 'write refused', 'quarantine', 'evolve'],
  ...['files replaced', 'batch merged'],
];

t.test('no seed that was once a failure is one', async (t) => {
  t.strictSame(explore(KNOWN).violations, []);
});

t.test('whatever is lost, late, doubled or killed, no row is lost or doubled, and every run ends', async (t) => {
  const { violations, coverage, worlds, steps } = explore([...seedsBetween(0, SEEDS), RARE]);
  t.strictSame(violations, [], 'a seed that fails belongs into seeds.json');
  t.equal(worlds, SEEDS + 1);
  t.comment(`${steps} steps; ${coverageText(coverage)}`);
  for (const what of REACHED) t.ok((coverage.get(what) ?? 0) > 0, `reached: ${what}`);
});

t.test('a seed decides on everything that happens', async (t) => {
  for (const seed of [1, 2, 3]) t.strictSame([...simulate(seed).coverage], [...simulate(seed).coverage]);
});
