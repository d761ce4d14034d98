/** The variable that sets the seed of property tests. */
export const SEED_VARIABLE = 'WEIR_TEST_SEED';
/** Any will do; with the same one, a commit that passed here passes elsewhere. */
const SEED = 20_261_122;

/**
 * The seed of every property test of a run, a whole number. One for all runs, so that a change is judged by itself and not
 * by luck; `npm run soak properties` looks further, each time with another.
 */
export function testSeed(env: NodeJS.ProcessEnv): number {
  const given = env[SEED_VARIABLE];
  if (given === undefined) return SEED;
  if (!/^\d{1,9}$/.test(given)) throw new Error(`${SEED_VARIABLE} must be a whole number of at most nine digits`);
  return Number(given);
}
