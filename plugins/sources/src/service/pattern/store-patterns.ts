import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import type { Problem } from '@weir/kernel/contract';
import { sourceProblems } from '../../contract.ts';
import { documentOf, type Pattern, patternHash, storedPattern } from '../../model/pattern/pattern-file.ts';
import {
  type PatternOrigin,
  type PatternPlan,
  planPattern,
  type StandingPattern,
} from '../../model/pattern/plan-pattern.ts';

/** Patterns belong to no tenant; the nil UUID is nobody's. */
const NOBODY: Tenant = { tenantId: '00000000-0000-0000-0000-000000000000', alias: '', scope: '' };
/** Only one transaction at a time changes patterns. */
const LOCK = 'sources:patterns';

/** What became of one pattern. */
export interface PatternChange {
  pattern_id: string;
  version: string;
  outcome: 'created' | 'updated' | 'unchanged' | 'retired';
}

export interface StoreDeps {
  kernel: Pick<Kernel, 'db' | 'mode'>;
}

/** Patterns to be stored; `pointerOf` names the place of one in the request. */
export interface GivenPatterns {
  patterns: readonly Pattern[];
  origin: PatternOrigin;
  pointerOf(index: number): string;
}

/**
 * Registers one pattern, or brings all of them to the set that is given: a pattern that is not in it is retired, never
 * deleted, and sources of it run on. All or nothing; a dry run only tells. Throws `pattern_version_taken` and
 * `credential_fields_removed` with the place of the first pattern that cannot be taken.
 */
export async function storePatterns(
  { kernel }: StoreDeps,
  given: GivenPatterns,
  { isWhole, dryRun = false }: { isWhole: boolean; dryRun?: boolean },
): Promise<PatternChange[]> {
  return kernel.db(NOBODY).transaction(async (tx) => {
    const standing = await readStanding(tx);
    const replaces = kernel.mode === 'development';
    const changes: PatternChange[] = [];
    for (const [index, pattern] of given.patterns.entries()) {
      const found = standing.get(pattern.id);
      const sha256 = patternHash(pattern);
      const kept = await keptHash(tx, pattern);
      const plan = planPattern(found, { pattern, sha256, kept }, { origin: given.origin, replaces });
      if ('refused' in plan) throw refusalOf(plan, given.pointerOf(index));
      changes.push({ pattern_id: pattern.id, version: pattern.version, outcome: plan.outcome });
      if (!dryRun && plan.outcome !== 'unchanged') await write(tx, pattern, sha256, given.origin);
    }
    if (!isWhole) return changes;
    const wanted = new Set(given.patterns.map(({ id }) => id));
    for (const [id, { pattern, status }] of standing) {
      if (wanted.has(id) || status === 'retired') continue;
      changes.push({ pattern_id: id, version: pattern.version, outcome: 'retired' });
      if (!dryRun) await retire(tx, id, given.origin);
    }
    return changes;
  });
}

/** The problem of a pattern that cannot be taken: which fields, never a value. */
function refusalOf(plan: Extract<PatternPlan, { refused: string }>, pointer: string): Problem {
  if (plan.refused === 'version_taken') {
    return sourceProblems.patternVersionTaken({ errors: [{ pointer: `${pointer}/version`, code: 'taken' }] });
  }
  const errors = [{ pointer: `${pointer}/removes_credential_fields`, code: 'incomplete' }];
  return sourceProblems.credentialFieldsRemoved({ errors, members: { credential_fields: plan.fields } });
}

async function readStanding(tx: TenantTransaction): Promise<Map<string, StandingPattern>> {
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK]);
  const { rows } = await tx.sql(
    `select p.pattern_id, p.sha256, p.status, v.document from sources.pattern p
     cross join lateral (select document from sources.pattern_version
       where pattern_id = p.pattern_id and version = p.version order by revision desc limit 1) v order by p.pattern_id`,
    [],
  );
  return new Map(
    rows.map(({ pattern_id: id, sha256, status, document }) => [
      String(id),
      {
        pattern: storedPattern(document),
        sha256: String(sha256),
        status: status as StandingPattern['status'],
      },
    ]),
  );
}

async function keptHash(tx: TenantTransaction, { id, version }: Pattern): Promise<string | undefined> {
  const { rows } = await tx.sql(
    `select sha256 from sources.pattern_version where pattern_id = $1 and version = $2 order by revision desc limit 1`,
    [id, version],
  );
  return rows[0] === undefined ? undefined : String(rows[0].sha256);
}

async function write(tx: TenantTransaction, pattern: Pattern, sha256: string, origin: PatternOrigin): Promise<void> {
  const { id, version } = pattern;
  await tx.sql(
    `insert into sources.pattern (pattern_id, version, sha256, status, changed_by, created_at, updated_at)
     values ($1, $2, $3, 'active', $4, now(), now())
     on conflict (pattern_id) do update set version = $2, sha256 = $3, changed_by = $4, updated_at = now(),
       status = case when $4 = 'file' then pattern.status else 'active' end`,
    [id, version, sha256, origin],
  );
  await tx.sql(
    `insert into sources.pattern_version (pattern_id, version, revision, sha256, document, registered_at)
     select $1, $2, coalesce(max(revision), 0) + 1, $3, $4, now() from sources.pattern_version
     where pattern_id = $1 and version = $2`,
    [id, version, sha256, JSON.stringify(documentOf(pattern))],
  );
}

async function retire(tx: TenantTransaction, id: string, origin: PatternOrigin): Promise<void> {
  await tx.sql(
    `update sources.pattern set status = 'retired', changed_by = $2, updated_at = now() where pattern_id = $1`,
    [id, origin],
  );
}
