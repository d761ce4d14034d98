import type { Client, ClientConfig } from 'pg';
import { connect } from './connect.ts';
import { LedgerMismatch } from './ledger-mismatch.ts';
import { type AppliedStep, checkBeginning, checkLinear, LEDGER_COLUMNS } from './linear.ts';
import { type Migration, migrationHash } from './migration.ts';
import { applyPluginMigrations, type PluginMigrations } from './plugin-migrations.ts';

const MIGRATE_LOCK = 7_305_002;
/** How long one process waits for another that is migrating. */
const WAIT_FOR_OTHER_MS = 60_000;
const LOCK_TIMEOUT_MS = 5_000;

/** What `migrate` applies besides the platform's own list, and what it notes. */
export interface MigrateOptions {
  /** The lists of third-party plugins, applied after the platform's in the same transaction. */
  plugins?: readonly PluginMigrations[];
  /** Noted in the ledgers. */
  releaseSha?: string | undefined;
}

/**
 * Applies what is missing, as `weir_owner`: one advisory lock, one transaction for all, each step written to the ledger
 * with its hash. Returns the names applied; empty when another process was first or nothing was missing. Throws
 * `LedgerMismatch`, having changed nothing, when the list is not one line or the database's history no beginning of it,
 * unless what the history has beyond the list is additive for it.
 */
export async function migrate(
  connection: ClientConfig,
  list: readonly Migration[],
  { plugins = [], releaseSha }: MigrateOptions = {},
): Promise<string[]> {
  refuse(checkLinear(list));
  const client = await connect(connection);
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${WAIT_FOR_OTHER_MS}`);
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATE_LOCK]);
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const applied = await readLedger(client);
    refuse(checkBeginning(applied, list));
    const missing = list.slice(applied.length);
    for (const [at, step] of missing.entries()) {
      await client.query(step.sql);
      await client.query(
        'insert into kernel.schema_ledger (ordinal, name, after, sha256, release_sha) values ($1, $2, $3, $4, $5)',
        [applied.length + at, step.name, step.after ?? null, migrationHash(step), releaseSha ?? null],
      );
    }
    // The first steps are written before the column is there.
    for (const { name, additiveSince } of missing) {
      if (additiveSince === undefined) continue;
      await client.query('update kernel.schema_ledger set additive_since = $2 where name = $1', [name, additiveSince]);
    }
    const names = missing.map((step) => step.name);
    for (const plugin of plugins) names.push(...(await applyPluginMigrations(client, plugin, releaseSha)));
    await client.query('commit');
    return names;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    await client.end();
  }
}

async function readLedger(client: Client): Promise<AppliedStep[]> {
  const { rows } = await client.query(`select to_regclass('kernel.schema_ledger') is not null as there`);
  if (rows[0]?.there !== true) return [];
  const ledger = await client.query(`select ${LEDGER_COLUMNS} from kernel.schema_ledger ledger order by ordinal`);
  return ledger.rows;
}

function refuse([fault]: readonly string[]): void {
  if (fault !== undefined) throw new LedgerMismatch(fault);
}
