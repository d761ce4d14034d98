import { type Client, escapeLiteral } from 'pg';
import { auditTables } from './audit-tables.ts';
import { foreignObjects, touchedObjects } from './foreign-objects.ts';
import { LedgerMismatch } from './ledger-mismatch.ts';
import { type AppliedStep, checkBeginning, checkLinear, LEDGER_COLUMNS } from './linear.ts';
import { type Migration, migrationHash } from './migration.ts';

/** The list of a third-party plugin, which lives in a schema of its own. */
export interface PluginMigrations {
  pluginId: string;
  /** In order; each name begins with the schema, such as `notes_01_note`. */
  migrations: readonly Migration[];
}

/** The schema of a third-party plugin: its id with `_` for `-`. */
export function pluginSchema(pluginId: string): string {
  return pluginId.replaceAll('-', '_');
}

/**
 * Applies what a third-party plugin's list has beyond the ledger, inside the transaction of `migrate`. The platform makes
 * the schema, and a step finds its own tables there without naming it. Returns the names applied. Throws
 * `LedgerMismatch` when the list is not one line or does not continue the ledger, when the schema belongs to somebody
 * else, and when the steps touched anything outside it or left a hole in the tenant wall.
 */
export async function applyPluginMigrations(
  client: Client,
  { pluginId, migrations }: PluginMigrations,
  releaseSha?: string,
): Promise<string[]> {
  const schema = pluginSchema(pluginId);
  const refuse = (faults: readonly string[]) => {
    if (faults.length > 0) throw new LedgerMismatch(`plugin ${pluginId}: ${faults.join('; ')}; nothing was applied`);
  };
  const applied = await readPluginLedger(client, pluginId);
  refuse([...checkNames(migrations, schema), ...checkLinear(migrations), ...checkBeginning(applied, migrations)]);
  const missing = migrations.slice(applied.length);
  if (missing.length === 0) return [];
  if (applied.length === 0) refuse(await makeSchema(client, schema));
  const [holes, outside] = [await auditTables(client), await foreignObjects(client, schema)];
  for (const step of missing) await runStep(client, schema, step);
  await client.query('set local search_path to default');
  const touched = touchedObjects(outside, await foreignObjects(client, schema));
  refuse([
    ...touched.map((name) => `its migrations touch ${name}, outside its schema ${schema}`),
    ...(await auditTables(client)).filter((hole) => !holes.includes(hole)),
  ]);
  for (const [at, step] of missing.entries()) {
    await client.query(
      `insert into kernel.plugin_ledger (plugin_id, ordinal, name, after, sha256, release_sha, additive_since)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        ...[pluginId, applied.length + at, step.name, step.after ?? null, migrationHash(step)],
        ...[releaseSha ?? null, step.additiveSince ?? null],
      ],
    );
  }
  return missing.map((step) => step.name);
}

async function readPluginLedger(client: Client, pluginId: string): Promise<AppliedStep[]> {
  const { rows } = await client.query(
    `select ${LEDGER_COLUMNS} from kernel.plugin_ledger ledger where plugin_id = $1 order by ordinal`,
    [pluginId],
  );
  return rows;
}

function checkNames(list: readonly Migration[], schema: string): string[] {
  const fits = new RegExp(`^${schema}_[0-9]{2,}_[a-z0-9_]+$`);
  return list
    .filter(({ name }) => !fits.test(name))
    .map(({ name }) => `migration ${name} must be called ${schema}_NN_words`);
}

/** A schema that is there already is the platform's or another plugin's. */
async function makeSchema(client: Client, schema: string): Promise<string[]> {
  const { rowCount } = await client.query('select 1 from pg_namespace where nspname = $1', [schema]);
  if (rowCount !== 0) return [`the schema ${schema} is there already and is not its own`];
  if (/^pg_/.test(schema)) return [`the schema name ${schema} is kept for the database itself`];
  await client.query(`create schema ${schema}`);
  await client.query(`grant usage on schema ${schema} to weir_app, weir_system`);
  return [];
}

/** Inside a block of the database's own language a step can neither commit nor roll back what is not its own. */
async function runStep(client: Client, schema: string, { name, sql }: Migration): Promise<void> {
  await client.query(`set local search_path to ${schema}`);
  try {
    await client.query(`do ${escapeLiteral(`begin execute ${escapeLiteral(sql)}; end`)}`);
  } catch (cause) {
    throw new Error(`migration ${name} failed: ${(cause as Error).message}`, { cause });
  }
}
