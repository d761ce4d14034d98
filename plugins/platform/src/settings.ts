import { type Static, Type } from '@sinclair/typebox';
import { SecretSetting } from '@weir/kernel';

const rate = (standard: number, what: string) =>
  Type.Integer({ minimum: 0, default: standard, description: `${what}, per minute and process; 0: no limit` });
const quota = (what: string) =>
  Type.Integer({ minimum: 0, default: 0, description: `${what}, unless it has a limit of its own; 0: no limit` });

/** The plugin's own environment variables. */
export const platformSettings = Type.Object({
  WEIR_RATE_READS: rate(60_000, 'Reading calls of one caller in one tenant'),
  WEIR_RATE_WRITES: rate(6_000, 'Changing calls of one caller in one tenant'),
  WEIR_RATE_STARTS: rate(600, 'Starts of runs by one caller in one tenant'),
  WEIR_RATE_COSTLY: rate(600, 'Queries, validations and previews of one caller in one tenant'),
  WEIR_RATE_GUESSES: rate(600, 'Denials, 401 or 403, of one address at one route'),
  WEIR_LIMIT_RUNS_PER_DAY: quota('Runs that a tenant may start in a day of UTC'),
  WEIR_LIMIT_CONCURRENT_RUNS: quota('Runs of a tenant that may be open at once'),
  WEIR_LIMIT_STORAGE_BYTES: quota('Bytes of the tables of a tenant from which on it starts no run'),
  LOG_STORE_URL: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Base URL of a Loki-compatible store for logs of runs; they are kept in files when absent',
    }),
  ),
  LOG_STORE_AUTH_TOKEN: Type.Optional(SecretSetting({ description: 'Bearer token for that store' })),
  WEIR_RUN_LOG_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      format: 'folder',
      description: 'Folder for logs of runs, shared by API and workers; in development below that of temporary files',
    }),
  ),
  WEIR_RUN_LOG_MAX_LINES: Type.Integer({
    minimum: 1_000,
    maximum: 10_000_000,
    default: 200_000,
    description: 'Lines of a connector that one attempt of a run keeps, and as many KiB; of more, the first and last',
  }),
  WEIR_RUN_LOG_RETENTION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 3_650,
    default: 30,
    description: 'Days for which logs of runs are kept in files; a Loki-compatible store has its own',
  }),
});
export type PlatformSettings = Static<typeof platformSettings>;
