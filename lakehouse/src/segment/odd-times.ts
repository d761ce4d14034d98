import { identifier, literal } from '../duckdb/duckdb-sql.ts';

const FIRST = `TIME '00:00:00'`;
const LAST = `TIME '24:00:00'`;

/** True where a TIME lies in no day, false where it is one; NULL for NULL. */
export const outOfDaySql = (value: string): string => `NOT ${value} BETWEEN ${FIRST} AND ${LAST}`;

/**
 * A value of a type, in DuckDB's words, with some time of the day for each TIME inside that lies in no day; undefined where
 * the type has no TIME. A Parquet file may hold any 64 bits as a time; DuckDB 1.5 takes them as they are, and the process
 * ends when it makes text of one, be it an element of a list that a condition has made NULL.
 */
export function inDaySql(value: string, type: string): string | undefined {
  return inDayAt(value, type, 0);
}

function inDayAt(value: string, type: string, depth: number): string | undefined {
  if (type === 'TIME') return `if(${outOfDaySql(value)}, ${FIRST}, ${value})`;
  const element = /^(.*)\[\d*\]$/s.exec(type)?.[1];
  if (element !== undefined) return elementsInDay(value, element, depth);
  const [, kind, inner = ''] = /^(STRUCT|MAP)\((.*)\)$/s.exec(type) ?? [];
  if (kind === undefined) return undefined;
  if (kind === 'STRUCT') return membersInDay(value, splitList(inner).map(memberOf), depth);
  const [key = '', held = ''] = splitList(inner);
  const entries = elementsInDay(`map_entries(${value})`, `STRUCT("key" ${key}, "value" ${held})`, depth);
  return entries && `map_from_entries(${entries})`;
}

function elementsInDay(list: string, type: string, depth: number): string | undefined {
  const element = `e${depth}`;
  const inDay = inDayAt(element, type, depth + 1);
  return inDay && `list_transform(${list}, lambda ${element}: ${inDay})`;
}

type Member = { readonly name: string; readonly type: string };

function membersInDay(struct: string, members: readonly Member[], depth: number): string | undefined {
  let hasTime = false;
  const made = members.map(({ name, type }) => {
    const value = `struct_extract(${struct}, ${literal(name)})`;
    const inDay = inDayAt(value, type, depth);
    hasTime ||= inDay !== undefined;
    return `${identifier(name)} := ${inDay ?? value}`;
  });
  return hasTime ? `if(${struct} IS NULL, NULL, struct_pack(${made.join(', ')}))` : undefined;
}

/** A member of a struct: its name, in quotes where it needs them, and its type. */
function memberOf(member: string): Member {
  const [, quoted, bare, type = ''] = /^(?:"((?:[^"]|"")*)"|([^" ]+)) (.*)$/s.exec(member) ?? [];
  return { name: quoted?.replaceAll('""', '"') ?? bare ?? '', type };
}

/** Divides a list at its commas, but for those in quotes and brackets. */
function splitList(text: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|[(),]|[^"'(),]+/g)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop()}${token}`);
  }
  return parts.map((part) => part.trim());
}
