import type { Session } from './connect.ts';
import { identifier, literal } from './sql-text.ts';
import type { Table } from './table.ts';

/** A part of a table that one connection reads: the FROM and WHERE of its query. */
export type Part = { readonly from: string; readonly where: string };

const PAGE_BYTES = 8192;
/** 32 MiB of the table's file. */
export const PART_PAGES = 4096;
/** Ranges of places in the file are read as such from here on; before, each would take a scan of the whole. */
const RANGES_SINCE = 140_000;

/** A table's name as SQL. */
export function qualified({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${identifier(schema)}.${identifier(name)}`;
}

/**
 * The parts of a table by the size that its files have now: ranges of `ctid`, the last one open, as the table may have grown
 * beyond what was asked; each partition by itself. What has no pages, or lies elsewhere, is one part.
 */
export async function tableParts(session: Session, table: Table, partPages: number): Promise<Part[]> {
  const whole = { from: qualified(table), where: '' };
  const rangesOf = async (from: string, oid: string) => {
    const isScanned = (await versionOf(session)) < RANGES_SINCE;
    return ranges(from, await sizeOf(session, oid), isScanned ? Number.POSITIVE_INFINITY : partPages);
  };
  if (table.form === 'heap') return rangesOf(whole.from, table.oid);
  if (table.form !== 'partitioned') return [whole];
  const leaves = await session.rows(
    `SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relkind AS form,
       has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS readable
     FROM pg_catalog.pg_partition_tree(${literal(table.oid)}::oid::regclass) p
     JOIN pg_catalog.pg_class c ON c.oid = p.relid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE p.isleaf AND c.relkind <> 'p' ORDER BY c.oid`,
  );
  // The right to the whole is no right to its parts.
  if (leaves.some(({ readable }) => readable !== 't')) return [whole];
  const parts: Part[] = [];
  for (const { oid, schema, name, form } of leaves) {
    const from = qualified({ schema: schema ?? '', name: name ?? '' });
    if (form === 'r') parts.push(...(await rangesOf(from, oid ?? '')));
    else parts.push({ from, where: '' });
  }
  return parts;
}

function ranges(from: string, pages: number, partPages: number): Part[] {
  const count = Math.max(1, Math.ceil(pages / partPages));
  return Array.from({ length: count }, (_, index) => {
    const lower = index === 0 ? [] : [`ctid >= '(${index * partPages},0)'::tid`];
    const upper = index === count - 1 ? [] : [`ctid < '(${(index + 1) * partPages},0)'::tid`];
    return { from, where: [...lower, ...upper].join(' AND ') };
  });
}

async function sizeOf(session: Session, oid: string): Promise<number> {
  const [row] = await session.rows(`SELECT pg_catalog.pg_relation_size(${literal(oid)}::oid::regclass) AS bytes`);
  return Math.ceil(Number(row?.bytes ?? 0) / PAGE_BYTES);
}

/** The version of the server as a number: 150018 is 15.18. */
export async function versionOf(session: Session): Promise<number> {
  const [row] = await session.rows(`SELECT current_setting('server_version_num') AS version`);
  return Number(row?.version);
}
