import type { PostgresConfig } from '../config.ts';
import type { Session } from '../connect.ts';
import { fault } from '../fault.ts';
import type { Table } from '../table.ts';

/** From this release on a standby has change data. */
const STANDBY_SINCE = 160_000;

/** What the server says of the way to change data. Nothing is changed by asking. */
export type Preflight = {
  /** Whether the changes of a table are published: of itself, or of all its partitions. */
  readonly isPublished: (table: Table) => boolean;
  /** Published tables on which every UPDATE and DELETE fails at the source, as nothing tells their rows apart. */
  readonly withoutIdentity: readonly string[];
};

/**
 * Looks whether changes can be read, and by which tables. Throws what is in the way: `standby_unsupported`, `wal_level_low`, `replication_forbidden`,
 * `publication_missing`, `publication_partial`.
 */
export async function preflight(session: Session, { publication }: PostgresConfig): Promise<Preflight> {
  const [server] = await session.rows(
    `SELECT current_setting('wal_level') AS wal_level,
       pg_is_in_recovery() AND current_setting('server_version_num')::int < ${STANDBY_SINCE} AS is_mute,
       (SELECT rolreplication OR rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) AS may_replicate,
       EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname IN ('rds_replication', 'azure_pg_admin')
         AND pg_has_role(current_user, oid, 'MEMBER')) AS is_member`,
  );
  if (server?.is_mute === 't') throw fault('standby_unsupported');
  if (server?.wal_level !== 'logical') throw fault('wal_level_low');
  if (server.may_replicate !== 't' && server.is_member !== 't') throw fault('replication_forbidden');
  const [found] = await session.rows(
    `SELECT pubinsert AND pubupdate AND pubdelete AND pubtruncate AS whole
     FROM pg_catalog.pg_publication WHERE pubname = $1`,
    [publication],
  );
  if (found === undefined) throw fault('publication_missing', 'publication');
  if (found.whole !== 't') throw fault('publication_partial', 'publication');
  // A partitioned table is published as itself, or as all of its parts.
  const rows = await session.rows(
    `SELECT root, bool_or(oid = root) OR count(*) =
         (SELECT count(*) FROM pg_catalog.pg_partition_tree(root::regclass) WHERE isleaf) AS whole,
       array_to_json(array_agg(name) FILTER (WHERE bare)) AS bare
     FROM (SELECT c.oid, coalesce(pg_catalog.pg_partition_root(c.oid)::oid, c.oid) AS root, p.tablename AS name,
         c.relreplident = 'n' OR (c.relreplident = 'd' AND NOT EXISTS (
           SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)) AS bare
       FROM pg_catalog.pg_publication_tables p
       JOIN pg_catalog.pg_namespace n ON n.nspname = p.schemaname
       JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = p.tablename
       WHERE p.pubname = $1) found
     GROUP BY root`,
    [publication],
  );
  const roots = new Set(rows.filter(({ whole }) => whole === 't').map(({ root }) => root));
  return {
    isPublished: ({ oid }) => roots.has(oid),
    withoutIdentity: rows.flatMap(({ bare }) => JSON.parse(bare ?? '[]') as string[]),
  };
}
