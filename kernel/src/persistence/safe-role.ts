import { databaseTlsFault } from '@weir/vault';
import { Refusal } from '../config/refusal.ts';
import type { PlatformSql } from './run-sql.ts';

/** The role and every role it is a member of: one that makes roles, or has policies of its own, opens the wall too. */
const HELD_ROLES = `
with recursive held as (
  select oid, rolname, rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = current_user
  union
  select r.oid, r.rolname, r.rolsuper, r.rolbypassrls, r.rolcreaterole from held
    join pg_auth_members m on m.member = held.oid join pg_roles r on r.oid = m.roleid)
select rolname, rolsuper as "is superuser", rolbypassrls as "bypasses row security", rolcreaterole as "makes roles",
  exists (select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relowner = held.oid and n.nspname !~ '^pg_' and n.nspname <> 'information_schema') as "owns tables",
  rolname <> current_user and exists (select 1 from pg_policy p where held.oid = any (p.polroles))
    as "lends its policies to a member"
from held`;

/** Throws a `Refusal` when the role could walk through the tenant wall, or when TLS keeps it from connecting at all. */
export async function assertSafeRole(sql: PlatformSql): Promise<void> {
  const { rows } = await sql(HELD_ROLES, []).catch((error: unknown) => {
    const fault = databaseTlsFault(error);
    throw fault === undefined ? error : new Refusal('database refused', [fault]);
  });
  const faults = rows.flatMap(({ rolname, ...dangers }) =>
    Object.keys(dangers).flatMap((danger) => (dangers[danger] ? [`database role ${rolname} ${danger}`] : [])),
  );
  if (faults.length > 0) throw new Refusal('database role refused: the tenant wall would not hold', faults);
}
