import { createHash } from 'node:crypto';
import { Refusal } from '../config/refusal.ts';
import type { PlatformSql } from './run-sql.ts';

/** A migration as the release knows it. */
export interface MigrationRecord {
  name: string;
  after: string | undefined;
  sql: string;
}

/** The migrations of a third-party plugin, whose ledger is its own. */
export interface PluginHistory {
  pluginId: string;
  migrations: readonly MigrationRecord[];
}

/** What the package that `platform.json` names as `migrations` exports, as far as a start needs it. */
export interface MigrationsPackage {
  migrations: readonly MigrationRecord[];
  readPluginMigrations(platformFile: string, core: readonly MigrationRecord[]): Promise<PluginHistory[]>;
}

/** A row of the ledger in the database. */
export interface LedgerRow {
  name: string;
  after: string | null;
  sha256: string;
  /** The oldest head whose release still starts on this step. */
  additive_since?: string | null;
}

export type SchemaFault = 'no_ledger' | 'two_heads' | 'missing' | 'edited' | 'ahead' | 'behind';
export type HeadVerdict = { ok: true } | { ok: false; fault: SchemaFault; line: string };

/**
 * Compares the database's ledger with the release's list, step by step and hash by hash. Pure. They must be equal, but for
 * later steps of the ledger that each say that they are additive for the release's head.
 */
export function compareHead(ledger: readonly LedgerRow[] | undefined, list: readonly MigrationRecord[]): HeadVerdict {
  const verdict = (fault: SchemaFault, line: string): HeadVerdict => ({ ok: false, fault, line });
  const split = doubledAfter(list) ?? doubledAfter(ledger ?? []);
  if (split !== undefined) return verdict('two_heads', `two migrations follow ${split}: the history has two heads`);
  if (ledger === undefined) return verdict('no_ledger', 'the database has no schema ledger: run weir migrate');
  const known = new Map(list.map((step) => [step.name, step]));
  const applied = new Set(ledger.map((row) => row.name));
  const [head, wanted] = [ledger.at(-1)?.name ?? 'nothing', list.at(-1)?.name ?? 'nothing'];
  const edited = ledger.find(({ name, after, sha256 }) => {
    const step = known.get(name);
    return step !== undefined && (hashOf(step) !== sha256 || (step.after ?? null) !== after);
  });
  if (edited)
    return verdict('edited', `${edited.name} was edited: the database applied another text than the release's`);
  const lastApplied = list.findLastIndex((step) => applied.has(step.name));
  const gap = list.slice(0, lastApplied).find((step) => !applied.has(step.name));
  if (gap) return verdict('missing', `${gap.name} is missing from the database although later ones are there`);
  const unknown = ledger.find((row) => !known.has(row.name));
  const unapplied = list[lastApplied + 1];
  if (unknown && unapplied) {
    return verdict('two_heads', `the database went on with ${unknown.name}, this release with ${unapplied.name}`);
  }
  const breaking = unknown && breakingStep(ledger, list.at(-1)?.name);
  if (breaking)
    return verdict('ahead', `the database is ahead: it has ${breaking.name}, this release ends at ${wanted}`);
  if (!unapplied) return { ok: true };
  return verdict('behind', `the database is behind: it ends at ${head}, this release at ${wanted}: run weir migrate`);
}

/** Reads the ledgers and throws a `Refusal` unless each fits its list: the release's and every third party's. */
export async function checkHead(
  sql: PlatformSql,
  list: readonly MigrationRecord[],
  plugins: readonly PluginHistory[] = [],
): Promise<void> {
  const columns = `name, after, sha256, to_jsonb(ledger) ->> 'additive_since' as additive_since`;
  const { rows } = await sql(`select to_regclass('kernel.schema_ledger') is not null as there`, []);
  const ledger =
    rows[0]?.there === true
      ? (await sql(`select ${columns} from kernel.schema_ledger ledger order by ordinal`, [])).rows
      : undefined;
  const verdict = compareHead(ledger as LedgerRow[] | undefined, list);
  if (!verdict.ok) throw new Refusal(`schema ${verdict.fault}`, [verdict.line]);
  const faults: string[] = [];
  for (const { pluginId, migrations } of plugins) {
    const own = `select ${columns} from kernel.plugin_ledger ledger where plugin_id = $1 order by ordinal`;
    const head = compareHead((await sql(own, [pluginId])).rows as unknown as LedgerRow[], migrations);
    if (!head.ok) faults.push(`plugin ${pluginId}: ${head.line}`);
  }
  if (faults.length > 0) throw new Refusal('schema of plugins', faults);
}

/** The lists of the deployment's third parties; a plugin that brings another list than it declares is refused. */
export async function pluginHistories(release: MigrationsPackage, platformFile: string): Promise<PluginHistory[]> {
  return release.readPluginMigrations(platformFile, release.migrations).catch((error: Error) => {
    throw error.name === 'LedgerMismatch' ? new Refusal('plugins refused', [error.message]) : error;
  });
}

/** The first step behind the head that is not additive for it; a list that ends nowhere has no head to be additive for. */
function breakingStep(ledger: readonly LedgerRow[], head: string | undefined): LedgerRow | undefined {
  const at = (step: string | null | undefined) => ledger.findIndex(({ name }) => name === step);
  const headAt = at(head);
  return ledger.slice(headAt + 1).find(({ additive_since: since }) => at(since) < 0 || at(since) > headAt);
}

function hashOf({ sql }: MigrationRecord): string {
  return createHash('sha256').update(sql).digest('hex');
}

function doubledAfter(steps: readonly { after?: string | null | undefined }[]): string | undefined {
  const seen = new Set<string>();
  for (const { after } of steps) {
    const key = after ?? 'nothing';
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}
