import type { BackingSpecView } from '../../contract/backing/document.ts';
import type { ItemType, PropertyDocument, ValueType, VersionDocumentView } from '../../contract/documents.ts';
import { identifier, literal, type Value, valueSql } from './value-sql.ts';

/** How rows become entities: the document, and of the types what it refers to. Data and nothing else: another process has it too. */
export interface Mapping {
  spec: BackingSpecView;
  type: Pick<VersionDocumentView, 'properties' | 'primary_key' | 'relationships'>;
  /** Keys of the types that relationships lead to, by their codes; of one that is left out every column is text. */
  targets: Readonly<
    Record<string, readonly Pick<PropertyDocument, 'code' | 'value_type' | 'item_type' | 'constraints'>[]>
  >;
}

/** What makes a row no entity. */
export const ROW_FAULTS = ['required_missing', 'not_castable'] as const;

/** The statements of a sync. */
export interface MappingSql {
  /** What the author of the mapping wrote, over the table: it has to pass the gate. */
  sql: string;
  /** Columns that it answers, so that no text in it adds one. */
  columns: number;
  /** Our own statements, over the result of it. */
  over(result: string): {
    /** Rows, and those without a key. */
    counts: string;
    /** Digests of keys that several rows have, at most 20, and how many there are. */
    doubled: string;
    /** The entities in the order of their keys. */
    lines: string;
    /** Each row in its place: its key, whether it says that it is deleted, its faults, properties and links; JSON as text. */
    rows: string;
  };
}

/** A line of a mapped table. */
export interface MappedLine {
  /** The key of the entity. */
  k: string;
  /** The hash of all that the row says. */
  h: string;
  /** Why the row is rejected. */
  f: (typeof ROW_FAULTS)[number] | null;
  /** The row says that its entity is deleted. */
  d: boolean;
  p: Record<string, unknown>;
  l: { r: string; t: string; k: string }[];
}

const SHOWN_KEYS = 20;
/** What separates the parts of a hash. */
const PART = `chr(10)`;

export function mappingSql({ spec, type, targets }: Mapping): MappingSql {
  const inner: string[] = [];
  const take = (sql: string): string => `c${inner.push(sql) - 1}`;
  const taken = (column: string): string => take(identifier(column));
  const properties = new Map(type.properties.map((property) => [property.code, property]));
  const mapped = spec.property_mappings.flatMap(({ property: code, column, expression }) => {
    const property = properties.get(code);
    const source = column === undefined ? take(`(\n${expression}\n)`) : taken(column);
    return property === undefined ? [] : [{ property, value: mappedValue(source, property) }];
  });
  const keyed = type.primary_key.map((code) => {
    const column = spec.primary_key_mapping.find(({ property }) => property === code)?.column ?? code;
    return mappedValue(taken(column), properties.get(code));
  });
  const links = spec.relationship_mappings.map((one) => linksOf(one, targets[one.target_type] ?? [], taken));
  const isDeleted = typeof spec.delete_policy === 'string' ? 'false' : deletedSql(taken(spec.delete_policy.column));
  const last = typeof spec.duplicate_keys === 'string' ? undefined : taken(spec.duplicate_keys.last_by);
  const required = links.flatMap((list, at) => {
    const code = spec.relationship_mappings[at]?.relationship ?? '';
    return type.relationships.some((one) => one.code === code && one.required) ? [{ code, list }] : [];
  });
  const fault = faultSql(mapped, required);
  const props = mapped.flatMap(({ property, value }) => [literal(property.code), value.json]);
  const salt = literal(JSON.stringify([spec.entity_type_version, spec.merge_mode]));
  const where = spec.row_filter === null ? '' : ` WHERE (\n${spec.row_filter}\n)`;
  const selected = inner.map((sql, at) => `${sql} AS c${at}`).join(', ');
  const columns = { k: keySql(keyed), p: `json_object(${props.join(', ')})`, l: `to_json(${linkList(links)})` };
  const made = (result: string) =>
    `SELECT ${columns.k} AS k, ${fault} AS f, ${isDeleted} AS d, ${last ?? 'NULL'} AS o,
       ${columns.p} AS p, ${columns.l} AS l FROM ${result}`;
  const hashed = (result: string) =>
    `SELECT k, sha256(concat(${salt}, ${PART}, p::VARCHAR, ${PART}, l::VARCHAR)) AS h, f, d, o, p, l
     FROM (${made(result)}) WHERE k IS NOT NULL`;
  const only =
    last === undefined ? '' : ' QUALIFY row_number() OVER (PARTITION BY k ORDER BY o DESC NULLS LAST, h) = 1';
  return {
    sql: `SELECT ${selected} FROM ${spec.dataset_id.split('.').map(identifier).join('.')}${where}`,
    columns: inner.length,
    over: (result) => ({
      counts: `SELECT count(*) AS read, count(*) FILTER (k IS NULL) AS nulls FROM (${made(result)})`,
      doubled: `SELECT left(sha256(k), 16) AS hash, count(*) OVER () AS keys FROM (${made(result)})
        WHERE k IS NOT NULL GROUP BY k HAVING count(*) > 1 ORDER BY k LIMIT ${SHOWN_KEYS}`,
      lines: `SELECT k, h, f, d, p, l FROM (${hashed(result)}${only}) ORDER BY k`,
      rows: `SELECT ${columns.k} AS k, ${isDeleted} AS d, CAST(to_json(${faultList(mapped, required)}) AS VARCHAR) AS f,
        CAST(${columns.p} AS VARCHAR) AS p, CAST(${columns.l} AS VARCHAR) AS l FROM ${result}`,
    }),
  };
}

const deletedSql = (column: string): string => `coalesce(TRY_CAST(${column} AS BOOLEAN), false)`;

function mappedValue(
  source: string,
  of: { value_type: ValueType; item_type: ItemType | null; constraints: PropertyDocument['constraints'] } | undefined,
): Value {
  const { value_type = 'string', item_type = null, constraints = {} } = of ?? {};
  return valueSql(source, { value_type, item_type, constraints });
}

const isMisfit = ({ source, sql }: Value): string => `(${source} IS NOT NULL AND ${sql} IS NULL)`;

/** What of a row is at fault, by the property or the relationship that it is about. */
function faultList(
  mapped: readonly { property: PropertyDocument; value: Value }[],
  required: readonly { code: string; list: string }[],
): string {
  const fault = (code: string, of: string) => `{'code': ${literal(code)}, 'of': ${literal(of)}}`;
  const one = (when: string, of: string) => `CASE WHEN ${when} THEN [${of}] ELSE ${NO_FAULTS} END`;
  const faults = [
    ...mapped.map(({ property, value }) => one(isMisfit(value), fault('not_castable', property.code))),
    ...mapped
      .filter(({ property }) => property.required)
      .map(({ property, value }) => one(`${value.source} IS NULL`, fault('required_missing', property.code))),
    ...required.map(({ code, list }) => one(`len(${list}) = 0`, fault('required_missing', code))),
  ];
  return faults.length === 0 ? NO_FAULTS : `list_concat(${[NO_FAULTS, ...faults].join(', ')})`;
}

const NO_FAULTS = `CAST([] AS STRUCT(code VARCHAR, "of" VARCHAR)[])`;

/** The fault of a row; null where it becomes an entity. */
function faultSql(
  mapped: readonly { property: PropertyDocument; value: Value }[],
  required: readonly { list: string }[],
): string {
  const misfits = mapped.map(({ value }) => isMisfit(value));
  const missing = [
    ...mapped.filter(({ property }) => property.required).map(({ value }) => `${value.source} IS NULL`),
    ...required.map(({ list }) => `len(${list}) = 0`),
  ];
  const cases = [
    ...(misfits.length === 0 ? [] : [`WHEN ${misfits.join(' OR ')} THEN 'not_castable'`]),
    ...(missing.length === 0 ? [] : [`WHEN ${missing.join(' OR ')} THEN 'required_missing'`]),
  ];
  return cases.length === 0 ? 'NULL' : `CASE ${cases.join(' ')} END`;
}

/** Control characters whose escapes the engine writes in upper case, RFC 8785 in lower case. */
const UPPER = ['0B', '0E', '0F', '1A', '1B', '1C', '1D', '1E', '1F'];

/** The key of an entity as `entityKey` writes it; null where a part of it is. */
function keySql(parts: readonly Value[]): string {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return `CAST(${only.sql} AS VARCHAR)`;
  const array = parts.map(({ json }) => `to_json(${json})::VARCHAR`).join(` || ',' || `);
  const lower = UPPER.reduce(
    (sql, code) => `replace(${sql}, ${literal(`\\u00${code}`)}, ${literal(`\\u00${code.toLowerCase()}`)})`,
    `'[' || ${array} || ']'`,
  );
  const isNull = parts.map(({ sql }) => `${sql} IS NULL`).join(' OR ');
  return `CASE WHEN ${isNull} THEN NULL ELSE ${lower} END`;
}

const NO_LINKS = `CAST([] AS STRUCT(r VARCHAR, t VARCHAR, k VARCHAR)[])`;

/** All links of a row, once each, in one order. */
const linkList = (links: readonly string[]): string =>
  links.length === 0 ? NO_LINKS : `list_sort(list_distinct(list_concat(${[NO_LINKS, ...links].join(', ')})))`;

/** The list of the links of one relationship. */
function linksOf(
  { relationship, columns, target_type, target_key, many }: BackingSpecView['relationship_mappings'][number],
  target: Mapping['targets'][string],
  taken: (column: string) => string,
): string {
  const link = (key: string) => `{'r': ${literal(relationship)}, 't': ${literal(target_type)}, 'k': ${key}}`;
  const sources = columns.map(taken);
  const [source = 'NULL'] = sources;
  if (many === 'split') {
    const parts = `list_transform(string_split(CAST(${source} AS VARCHAR), ','), lambda e: trim(e))`;
    return listed(`list_filter(${parts}, lambda e: e <> '')`, link('e'));
  }
  const typeOf = (code: string | undefined) => target.find((one) => one.code === code);
  if (many === 'list') {
    const item = keySql([mappedValue('e', typeOf(target_key[0]))]);
    return listed(`list_filter(list_transform(${source}, lambda e: ${item}), lambda e: e IS NOT NULL)`, link('e'));
  }
  const order = target.length === 0 ? target_key : target.map(({ code }) => code);
  const key = keySql(order.map((code) => mappedValue(sources[target_key.indexOf(code)] ?? 'NULL', typeOf(code))));
  return `CASE WHEN ${key} IS NULL THEN ${NO_LINKS} ELSE [${link(key)}] END`;
}

const listed = (keys: string, link: string): string =>
  `coalesce(list_transform(${keys}, lambda e: ${link}), ${NO_LINKS})`;
