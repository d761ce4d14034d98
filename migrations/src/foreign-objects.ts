import type { Client } from 'pg';

/** Everything outside one schema, by name: the versions of its catalogue rows and how many of its rows were changed. */
export type ForeignObjects = ReadonlyMap<string, string>;

/**
 * Reads what lies outside `schema` as this transaction sees it. Two reads in one transaction differ wherever a statement
 * between them touched something there, even if it was put back: each change writes a new version of a catalogue row
 * (its `xmin` and `cmin`) or counts as a changed row. The hidden triggers of a foreign key are let pass.
 */
export async function foreignObjects(client: Pick<Client, 'query'>, schema: string): Promise<ForeignObjects> {
  const { rows } = await client.query(OBJECTS, [schema]);
  return new Map(rows.map(({ name, versions }) => [String(name), String(versions)]));
}

/** The names of what was made, changed or dropped between two reads, in order. Pure. */
export function touchedObjects(before: ForeignObjects, after: ForeignObjects): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

const OBJECTS = `
with outside as (
  select oid, nspname from pg_namespace
  where nspname <> $1 and nspname !~ '^pg_' and nspname <> 'information_schema'
), relation as (
  select c.oid, o.nspname || '.' || c.relname as name, c.xmin, c.cmin
  from pg_class c join outside o on o.oid = c.relnamespace
), version (name, xmin, cmin) as (
  select 'schema ' || o.nspname, n.xmin, n.cmin from outside o join pg_namespace n on n.oid = o.oid
  union all select name, xmin, cmin from relation
  union all select r.name, a.xmin, a.cmin from relation r join pg_attribute a on a.attrelid = r.oid
  union all select r.name, d.xmin, d.cmin from relation r join pg_attrdef d on d.adrelid = r.oid
  union all select r.name, i.xmin, i.cmin from relation r join pg_index i on i.indexrelid = r.oid
  union all select r.name, p.xmin, p.cmin from relation r join pg_policy p on p.polrelid = r.oid
  union all select r.name, w.xmin, w.cmin from relation r join pg_rewrite w on w.ev_class = r.oid
  union all select r.name, g.xmin, g.cmin from relation r join pg_trigger g on g.tgrelid = r.oid where not g.tgisinternal
  union all select o.nspname || '.' || k.conname, k.xmin, k.cmin from pg_constraint k join outside o on o.oid = k.connamespace
  union all select o.nspname || '.' || f.proname, f.xmin, f.cmin from pg_proc f join outside o on o.oid = f.pronamespace
  union all select o.nspname || '.' || t.typname, t.xmin, t.cmin from pg_type t join outside o on o.oid = t.typnamespace
  union all select 'extension ' || extname, xmin, cmin from pg_extension
  union all select 'default privileges', xmin, cmin from pg_default_acl
)
select name, string_agg(xmin::text || ':' || cmin::text, ',' order by xmin::text, cmin::text) as versions
from version group by name
union all
select 'rows of ' || schemaname || '.' || relname, (n_tup_ins + n_tup_upd + n_tup_del)::text
from pg_stat_xact_user_tables where schemaname <> $1`;
