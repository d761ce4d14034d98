import { type Static, Type } from '@sinclair/typebox';

const rate = (standard: number, what: string) =>
  Type.Integer({ minimum: 0, default: standard, description: `${what}, per minute and process; 0: no limit` });
const quota = (what: string) =>
  Type.Integer({ minimum: 0, default: 0, description: `${what}, unless it has a limit of its own; 0: no limit` });

/** The plugin's own environment variables. */
export const platformSettings = Type.Object({
  WEIR_RATE_READS: rate(60_000, 'Reading calls of one caller in one tenant'),
  WEIR_RATE_WRITES: rate(6_000, 'Changing calls of one caller in one tenant'),
  WEIR_RATE_STARTS: rate(600, 'Starts of runs by one caller in one tenant'),
  WEIR_RATE_GUESSES: rate(600, 'Denials, 401 or 403, of one address at one route'),
  WEIR_LIMIT_RUNS_PER_DAY: quota('Runs that a tenant may start in a day of UTC'),
  WEIR_LIMIT_CONCURRENT_RUNS: quota('Runs of a tenant that may be open at once'),
  WEIR_LIMIT_STORAGE_BYTES: quota('Bytes of the tables of a tenant from which on it starts no run'),
});
export type PlatformSettings = Static<typeof platformSettings>;
