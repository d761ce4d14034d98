import type { Client, ClientConfig } from 'pg';
import { connect } from './connect.ts';
import { type Migration, migrationHash } from './migration.ts';

const MIGRATE_LOCK = 7_305_002;
/** How long one process waits for another that is migrating. */
const WAIT_FOR_OTHER_MS = 60_000;
const LOCK_TIMEOUT_MS = 5_000;

/** The ledger in the database is not a beginning of this program's list. */
export class LedgerMismatch extends Error {
  constructor(fault: string) {
    super(fault);
    this.name = 'LedgerMismatch';
  }
}

/**
 * Applies what is missing, as `weir_owner`: one advisory lock, one transaction for all, each step written to the ledger
 * with its hash. Returns the names applied; empty when another process was first or nothing was missing. Throws
 * `LedgerMismatch`, having changed nothing, when the list is not one line or the database's history no beginning of it.
 */
export async function migrate(
  connection: ClientConfig,
  list: readonly Migration[],
  releaseSha?: string,
): Promise<string[]> {
  checkLinear(list);
  const client = await connect(connection);
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${WAIT_FOR_OTHER_MS}`);
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATE_LOCK]);
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const applied = await readLedger(client);
    checkBeginning(applied, list);
    const missing = list.slice(applied.length);
    for (const [at, step] of missing.entries()) {
      await client.query(step.sql);
      await client.query(
        'insert into kernel.schema_ledger (ordinal, name, after, sha256, release_sha) values ($1, $2, $3, $4, $5)',
        [applied.length + at, step.name, step.after ?? null, migrationHash(step), releaseSha ?? null],
      );
    }
    await client.query('commit');
    return missing.map((step) => step.name);
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    await client.end();
  }
}

async function readLedger(client: Client): Promise<{ name: string; sha256: string }[]> {
  const { rows } = await client.query(`select to_regclass('kernel.schema_ledger') is not null as there`);
  if (rows[0]?.there !== true) return [];
  const ledger = await client.query('select name, sha256 from kernel.schema_ledger order by ordinal');
  return ledger.rows;
}

function checkLinear(list: readonly Migration[]): void {
  for (const [at, { name, after }] of list.entries()) {
    const before = list[at - 1]?.name;
    if (after !== before)
      throw new LedgerMismatch(`${name} must come after ${before ?? 'nothing'}, not ${after ?? 'nothing'}`);
  }
}

function checkBeginning(applied: readonly { name: string; sha256: string }[], list: readonly Migration[]): void {
  for (const [at, { name, sha256 }] of applied.entries()) {
    const step = list[at];
    if (step === undefined)
      throw new LedgerMismatch(`the database is ahead: it has ${name}, which this release does not know`);
    if (step.name !== name) throw new LedgerMismatch(`the database has ${name} where this release has ${step.name}`);
    if (migrationHash(step) !== sha256) throw new LedgerMismatch(`${name} was edited after it had been applied`);
  }
}
