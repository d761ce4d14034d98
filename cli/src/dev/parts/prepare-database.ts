import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { counted } from '@weir/kernel/contract';
import { CliError } from '../../cli-error.ts';
import { programLine } from '../../command/program.ts';
import type { DevSecrets } from '../folder/folder.ts';
import type { Reporter } from './reporter.ts';
import type { Database } from './services.ts';

export interface PrepareOptions {
  root: string;
  env: Record<string, string | undefined>;
  database: Database;
  secrets: DevSecrets;
  report: Reporter;
  interrupted: AbortSignal;
}

const PROGRAM = 'migrations/src/main.ts';
const PROGRAM_TIMEOUT_MS = 120_000;

/**
 * Brings the database to where API and worker can start: roles and database of an embedded server, every migration,
 * the tenants. Each step is idempotent. A configured server brings its own roles; only migrations and tenant are ours.
 */
export function prepareDatabase(options: PrepareOptions, tenants: readonly string[]): Promise<void> {
  return options.report.during('database schema', migrated(options, tenants));
}

async function migrated(options: PrepareOptions, tenants: readonly string[]): Promise<void> {
  const started = performance.now();
  if (options.database.superuserUrl !== undefined) await migrations(options, ['bootstrap']);
  const said = await migrations(options, ['up']);
  await Promise.all([
    ...tenants.map((tenant) => migrations(options, ['tenant', 'create', tenant])),
    options.database.superuserUrl === undefined ? undefined : migrations(options, ['development-reader']),
  ]);
  const applied = said.split('\n').filter((line) => line.includes('"applied"')).length;
  options.report.done(
    `database schema: ${applied === 0 ? 'nothing to do' : counted(applied, 'migration')}, tenant ${tenants[0]}`,
    started,
  );
}

async function migrations(
  { root, env, database, secrets, interrupted }: PrepareOptions,
  args: string[],
): Promise<string> {
  const [command, line] = programLine(root, PROGRAM, args);
  const embedded = database.superuserUrl !== undefined;
  try {
    const { stdout } = await promisify(execFile)(command, line, {
      cwd: root,
      timeout: PROGRAM_TIMEOUT_MS,
      signal: interrupted,
      env: {
        ...env,
        WEIR_MODE: 'development',
        DB_HOST: database.host,
        DB_PORT: String(database.port),
        DB_NAME: database.name,
        ...(embedded
          ? {
              WEIR_DB_SUPERUSER_URL: database.superuserUrl,
              WEIR_DB_OWNER_USER: 'weir_owner',
              WEIR_DB_OWNER_PASSWORD: secrets.owner,
              DB_PASSWORD: secrets.app,
              WEIR_DB_SYSTEM_PASSWORD: secrets.system,
              WEIR_DB_DEVELOPMENT_PASSWORD: secrets.reader,
            }
          : {}),
      } as NodeJS.ProcessEnv,
    });
    return stdout;
  } catch (cause) {
    if (interrupted.aborted) throw new CliError('interrupted', 'Interrupted.');
    const said = (cause as { stderr?: string }).stderr?.trim().split('\n').slice(-6).join('\n') ?? '';
    throw new CliError('failed', `migrations ${args[0]} failed.\n${said}`, { code: 'migration_failed', cause });
  }
}
