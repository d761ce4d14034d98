import type { Session } from '../connect.ts';
import type { Table } from '../table.ts';
import { versionOf } from '../table-parts.ts';

/** From this release on whole schemas can be published. */
const SCHEMAS_SINCE = 150_000;

/**
 * By what a table is published: the publication as it stands, and each of the entries that bring the table or a part of it into
 * it. An entry that is taken away and made again is another one, and what was changed meanwhile is not in what a slot sends.
 */
export type Membership = (table: Pick<Table, 'oid'>) => readonly string[];

/** Looks by what the tables are published now. */
export async function membershipOf(session: Session, publication: string): Promise<Membership> {
  const [self] = await session.rows(
    `SELECT 'p' || oid || '.' || xmin AS entry FROM pg_catalog.pg_publication WHERE pubname = $1`,
    [publication],
  );
  const ofTables = `SELECT r.prrelid AS oid, 't' || r.oid AS entry FROM pg_catalog.pg_publication_rel r
    JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid WHERE p.pubname = $1`;
  const ofSchemas = `SELECT c.oid, 's' || n.oid FROM pg_catalog.pg_publication_namespace n
    JOIN pg_catalog.pg_publication p ON p.oid = n.pnpubid
    JOIN pg_catalog.pg_class c ON c.relnamespace = n.pnnspid AND c.relkind IN ('r', 'p') WHERE p.pubname = $1`;
  const all = (await versionOf(session)) < SCHEMAS_SINCE ? ofTables : `${ofTables} UNION ALL ${ofSchemas}`;
  const rows = await session.rows(
    `SELECT DISTINCT coalesce(pg_catalog.pg_partition_root(oid)::oid, oid) AS root, entry FROM (${all}) entries ORDER BY entry`,
    [publication],
  );
  const byRoot = Map.groupBy(rows, ({ root }) => root ?? '');
  return ({ oid }) => [self, ...(byRoot.get(oid) ?? [])].flatMap((row) => row?.entry ?? []);
}

/** Whether all that a table was published by is still there; further entries, as of a new part, take nothing away. */
export function isStillPublished(before: readonly string[] | undefined, now: readonly string[]): boolean {
  return before === undefined || before.every((entry) => now.includes(entry));
}
