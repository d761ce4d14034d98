import { type ColumnKind, columnKind } from './column-kind.ts';
import type { PostgresConfig } from './config.ts';
import type { Session } from './connect.ts';
import { fault } from './fault.ts';
import type { Column, Table, TableForm } from './table.ts';

const FORMS: Readonly<Record<string, TableForm>> = {
  ...{ r: 'heap', m: 'heap', p: 'partitioned', v: 'view', f: 'foreign' },
};

/**
 * One row a column. The parts of a partitioned table are left out, as their rows are those of the whole. A domain has the type
 * that it stands for in the end.
 */
const COLUMNS = `
  SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relkind AS form, c.relreplident AS identity,
    a.attname AS column_name, a.atttypid AS type_oid, a.attnotnull AS required,
    pg_catalog.format_type(a.atttypid, a.atttypmod) AS type, base.name AS base, base.modifier,
    array_position(k.columns, a.attnum) AS key_place
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN LATERAL (
    WITH RECURSIVE chain AS (
      SELECT t.oid, t.typname, t.typtype, t.typbasetype, t.typtypmod, a.atttypmod AS modifier, 0 AS depth
      FROM pg_catalog.pg_type t WHERE t.oid = a.atttypid
      UNION ALL
      SELECT t.oid, t.typname, t.typtype, t.typbasetype, t.typtypmod,
        CASE WHEN chain.modifier = -1 THEN chain.typtypmod ELSE chain.modifier END, chain.depth + 1
      FROM chain JOIN pg_catalog.pg_type t ON chain.typtype = 'd' AND t.oid = chain.typbasetype)
    SELECT CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace THEN chain.typname ELSE '' END AS name, chain.modifier
    FROM chain JOIN pg_catalog.pg_type t ON t.oid = chain.oid ORDER BY depth DESC LIMIT 1) base ON true
  LEFT JOIN LATERAL (
    SELECT (i.indkey::int2[])[0:i.indnkeyatts - 1] AS columns FROM pg_catalog.pg_index i
    WHERE i.indrelid = c.oid AND i.indisprimary AND i.indisvalid) k ON true
  WHERE n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND c.relpersistence <> 't' AND (c.relkind <> 'm' OR c.relispopulated)
    AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
  ORDER BY array_position($1::text[], n.nspname::text), c.relname, a.attnum`;

/**
 * The tables, views and foreign tables of the schemas that the user may read, in the order of the schemas and by name.
 * `schema_unknown` when a schema does not exist.
 */
export async function listTables(session: Session, { schemas }: Pick<PostgresConfig, 'schemas'>): Promise<Table[]> {
  const list = arrayText(schemas);
  const known = await session.rows('SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = ANY ($1::text[])', [
    list,
  ]);
  if (known.length < schemas.length) throw fault('schema_unknown', 'schemas');
  const rows = await session.rows(COLUMNS, [list]);
  const byOid = Map.groupBy(rows, ({ oid }) => oid ?? '');
  return [...byOid].map(([oid, columns]) => tableOf(oid, columns)).filter(({ columns }) => columns.length > 0);
}

function tableOf(oid: string, rows: readonly Record<string, string | null>[]): Table {
  const [{ schema, name, form, identity } = {}] = rows;
  const placed = rows.filter(({ key_place }) => key_place !== null);
  const key = placed
    .toSorted((a, b) => Number(a.key_place) - Number(b.key_place))
    .map(({ column_name }) => column_name ?? '');
  return {
    oid,
    schema: schema ?? '',
    name: name ?? '',
    form: FORMS[form ?? ''] ?? 'view',
    columns: rows.map(columnOf),
    key,
    hasIdentity: identity === 'f' || identity === 'i' || (identity === 'd' && key.length > 0),
  };
}

function columnOf({ column_name, type, type_oid, required, base, modifier }: Record<string, string | null>): Column {
  const kind: ColumnKind = columnKind(base ?? '', Number(modifier));
  return { name: column_name ?? '', kind, type: type ?? '', typeOid: type_oid ?? '', isNullable: required !== 't' };
}

/** A list of texts as Postgres reads an array. */
export function arrayText(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replaceAll(/["\\]/g, (found) => `\\${found}`)}"`).join(',')}}`;
}
