import type { TenantTransaction } from '@weir/kernel';
import { sourceProblems } from '../../contract.ts';
import { pointerMatcher } from '../../model/config/walk-config.ts';
import { configFaults } from '../../model/pattern/check-config.ts';
import { type Pattern, storedPattern, withToldCredentials } from '../../model/pattern/pattern-file.ts';
import type { StandingPattern } from '../../model/pattern/plan-pattern.ts';
import type { SourceRow } from '../../model/source/entity.ts';
import type { LoadedPatterns } from './load-patterns.ts';

/** Documents are small and few; this many more mean that versions come and go. */
const MAX_DOCUMENTS = 2_000;

/** One statement over tables that all tenants share: of a transaction, so that it needs no second connection, or alone. */
export type Sql = TenantTransaction['sql'];

/** A document of a version is replaced by a later revision, in development only. */
const DOCUMENT = `
select document from sources.pattern_version where pattern_id = $1 and version = $2 order by revision desc limit 1`;

/** What of a source says which version of its pattern it runs with. */
export type PatternUser = Pick<SourceRow, 'patternId' | 'patternVersion' | 'sourceConfig'>;

/** What a run needs of patterns: which one its source has, and how the development runtime starts connectors. */
export interface RunPatterns extends Pick<PatternCatalog, 'of'> {
  connectors: LoadedPatterns['connectors'];
}

/** The connector patterns of the platform, as every process sees them. */
export interface PatternCatalog {
  /** The version in force of a pattern, be it retired; undefined when there is none. */
  find(id: string, sql?: Sql): Promise<StandingPattern | undefined>;
  /** The pattern that something new is to be made of; throws `pattern_not_found` and `pattern_retired`. */
  named(id: string, sql?: Sql): Promise<Pattern>;
  /** What a source runs with: the version in force if the source fits it, else the one that it was made with. */
  of(source: PatternUser, sql?: Sql): Promise<Pattern | undefined>;
  /** The same of many, in their order. */
  ofAll(sources: readonly PatternUser[], sql?: Sql): Promise<(Pattern | undefined)[]>;
  /** What one source runs with; throws `pattern_not_found`. */
  ofKnown(source: PatternUser, sql?: Sql): Promise<Pattern>;
  /** The ids of those that are not retired, sorted. */
  ids(): Promise<readonly string[]>;
}

interface Head {
  version: string;
  sha256: string;
  status: 'active' | 'retired';
  told_credentials: readonly string[];
}

/**
 * Reads patterns from the database: which version is in force is asked each time, as any process may change it, and the
 * documents are kept, as a version stays what it is.
 */
export function patternCatalog(alone: Sql): PatternCatalog {
  const documents = new Map<string, Pattern>();
  const headOf = async (id: string, sql: Sql): Promise<Head | undefined> => {
    const { rows } = await sql(`${HEADS} where pattern_id = $1`, [id]);
    return rows[0] as Head | undefined;
  };
  const versionOf = async (id: string, version: string, { head, sql }: Asked): Promise<Pattern | undefined> => {
    const told = head?.told_credentials ?? [];
    const key = `${id}@${version}#${head?.version === version ? head.sha256 : ''}#${told}`;
    const known = documents.get(key);
    if (known !== undefined) return known;
    const { rows } = await sql(DOCUMENT, [id, version]);
    if (rows[0] === undefined) return undefined;
    const pattern = withToldCredentials(storedPattern(rows[0].document), told);
    if (documents.size >= MAX_DOCUMENTS) documents.clear();
    documents.set(key, pattern);
    return pattern;
  };
  const used = async (source: PatternUser, { head, sql }: Asked): Promise<Pattern | undefined> => {
    const { patternId, patternVersion } = source;
    const current = head && (await versionOf(patternId, head.version, { head, sql }));
    if (current === undefined || current.version === patternVersion) return current;
    const own = await versionOf(patternId, patternVersion, { head, sql });
    return own === undefined || fits(source, own, current) ? current : own;
  };

  const find: PatternCatalog['find'] = async (id, sql = alone) => {
    const head = await headOf(id, sql);
    const pattern = head && (await versionOf(id, head.version, { head, sql }));
    return head && pattern && { pattern, sha256: head.sha256, status: head.status };
  };
  const of: PatternCatalog['of'] = async (source, sql = alone) =>
    used(source, { head: await headOf(source.patternId, sql), sql });
  return {
    find,
    of,
    async ofAll(sources, sql = alone) {
      const { rows } = await sql(`${HEADS} where pattern_id = any ($1)`, [
        [...new Set(sources.map(({ patternId }) => patternId))],
      ]);
      const heads = new Map(rows.map((row) => [String(row.pattern_id), row as unknown as Head]));
      const found: (Pattern | undefined)[] = [];
      for (const source of sources) found.push(await used(source, { head: heads.get(source.patternId), sql }));
      return found;
    },
    async named(id, sql) {
      const standing = await find(id, sql);
      if (standing === undefined) throw notFound();
      if (standing.status === 'retired') throw sourceProblems.patternRetired();
      return standing.pattern;
    },
    async ofKnown(source, sql) {
      const pattern = await of(source, sql);
      if (pattern === undefined) throw notFound();
      return pattern;
    },
    async ids() {
      const { rows } = await alone(
        'select pattern_id from sources.pattern where status = \'active\' order by pattern_id collate "C"',
        [],
      );
      return rows.map((row) => String(row.pattern_id));
    },
  };
}

const HEADS = 'select pattern_id, version, sha256, status, told_credentials from sources.pattern';

/** Has what an image of a pattern calls credentials be credentials from then on, in every process. */
export async function noteTold(sql: Sql, patternId: string, pointers: readonly string[]): Promise<void> {
  await sql(
    `update sources.pattern set told_credentials = (
  select jsonb_agg(distinct one) from jsonb_array_elements(told_credentials || $2::jsonb) one
) where pattern_id = $1 and not told_credentials @> $2::jsonb`,
    [patternId, JSON.stringify(pointers)],
  );
}

/** What is in force, and where to read what that says. */
interface Asked {
  head: Head | undefined;
  sql: Sql;
}

const notFound = () => sourceProblems.patternNotFound({ errors: [{ pointer: '/pattern_id', code: 'unknown' }] });

/** Whether a source can run with another version of its pattern, and nothing that was a credential would be none. Pure. */
export function fits({ sourceConfig }: PatternUser, own: Pattern, other: Pattern): boolean {
  const isCredential = pointerMatcher(other.credentialFields);
  return (
    own.credentialFields.every(isCredential) &&
    configFaults(other, sourceConfig, { withoutCredentials: true }).length === 0
  );
}
