import { type MatchColumn, type MatchReasons, matchColumns } from '@weir/matcher';
import type { SuggestedChoice, SuggestedMappingView } from '../../contract/backing/suggestions.ts';
import type { PropertyDocument, RelationshipDocument, VersionDocumentView } from '../../contract/documents.ts';
import { identifier } from '../sync/value-sql.ts';
import { isCastable } from './castable.ts';
import type { TableColumn } from './faults.ts';

/** A column with some of its values, as text. */
export interface SampledColumn extends TableColumn {
  values: readonly string[];
}

/** Pairs of names that are compared at most: comparing takes the time of a request. */
const MAX_PAIRS = 40_000;
/** Below it a pair has little in common but a word or a type. */
const LEAST_SCORE = 0.45;
const LEAST_LINK_SCORE = 0.55;

interface Scored {
  column: number;
  score: number;
  confidence: 'sure' | 'review';
  reasons: MatchReasons;
}

/** What is looked for, by each of its names: the best score that a column has with one of them. */
interface Wanted {
  names: readonly string[];
  type: string;
  values: readonly unknown[];
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

interface Named {
  /** The thing that is wanted. */
  at: number;
  column: MatchColumn;
}

/** For each thing that is wanted the columns that may be meant, best first. */
function ranked(wanted: readonly Wanted[], columns: readonly SampledColumn[]): Scored[][] {
  const named = wanted.flatMap(({ names, type, values }, at): Named[] =>
    [...new Map(names.map((name) => [plain(name), name])).values()].map((name) => ({
      at,
      column: { name, type, values },
    })),
  );
  const best = wanted.map(() => new Map<number, Scored>());
  for (const [some, places] of compared(named, columns)) {
    const targets = places.map((place) => matchColumn(columns[place] as SampledColumn));
    const found = matchColumns(
      some.map(({ column }) => column),
      targets,
      { topK: targets.length },
    );
    for (const [index, { alternatives }] of found.entries()) {
      const scores = best[some[index]?.at ?? 0];
      for (const { index: target, score, confidence, reasons } of alternatives) {
        const column = places[target] ?? 0;
        if ((scores?.get(column)?.score ?? 0) < score) scores?.set(column, { column, score, confidence, reasons });
      }
    }
  }
  return best.map((scores) => [...scores.values()].sort((a, b) => b.score - a.score || a.column - b.column));
}

/** What is compared with which columns: all with all, or where that is too much, equal names and then what is left. */
function compared(
  named: readonly Named[],
  columns: readonly TableColumn[],
): (readonly [readonly Named[], readonly number[]])[] {
  const all = columns.map((_, at) => at);
  if (named.length * all.length <= MAX_PAIRS) return [[[...named], all]];
  const byName = new Map(columns.map(({ name }, at) => [plain(name), at]));
  const placeOf = ({ column }: Named) => byName.get(plain(column.name));
  const equal = named.flatMap((one) => {
    const place = placeOf(one);
    return place === undefined ? [] : [[[one], [place]] as const];
  });
  const taken = new Set(equal.map(([, [place]]) => place));
  const others = named.filter((one) => placeOf(one) === undefined);
  const left = all.filter((at) => !taken.has(at));
  const most = Math.floor(MAX_PAIRS / Math.max(1, others.length));
  return [...equal.map(([one, place]) => [[...one], [...place]] as const), [others, left.slice(0, most)]];
}

const matchColumn = ({ name, type, values }: SampledColumn): MatchColumn => ({ name, type, values });

/** Types of SQL that a column is cast to for a property. */
const CASTS: Readonly<Partial<Record<PropertyDocument['value_type'], string>>> = {
  string: 'VARCHAR',
  text: 'VARCHAR',
  uuid: 'VARCHAR',
  uri: 'VARCHAR',
  email: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  long: 'BIGINT',
  double: 'DOUBLE',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
};
const NESTED = /^(?:struct|list|map)</;
const [DIGITS, PLACES] = [38, 9];

/** The type that a column is cast to so that it fills a property; undefined where no cast does. */
function castType(type: string, { value_type, constraints, item_type }: PropertyDocument): string | undefined {
  const item = /^list<(.*)>$/.exec(type)?.[1];
  if (value_type === 'list') {
    if (item === undefined || NESTED.test(item) || item_type === null) return undefined;
    return CASTS[item_type] === undefined ? undefined : `${CASTS[item_type]}[]`;
  }
  if (NESTED.test(type)) return undefined;
  if (value_type !== 'decimal') return CASTS[value_type];
  return `DECIMAL(${constraints.precision ?? DIGITS}, ${constraints.scale ?? PLACES})`;
}

/** How a column fills a property: as it is, by a cast to this type, or not at all. */
export type Fit = 'as_it_is' | { to: string } | undefined;

/** A property of the key is filled by a column alone. */
export function fitOf({ type }: TableColumn, property: PropertyDocument, isKey: boolean): Fit {
  if (isCastable(type, property)) return 'as_it_is';
  const to = isKey ? undefined : castType(type, property);
  return to === undefined ? undefined : { to };
}

/** The cast of a column; with `loose` a value that does not convert becomes null. */
export const castSql = (column: string, to: string, { loose }: { loose: boolean }): string =>
  `${loose ? 'try_cast' : 'cast'}(${column} AS ${to})`;

/** Whether sampled values of a column convert to a type. */
export type Converts = (column: string, to: string) => boolean;

/** A suggestion before casts are written. */
export interface FoundMapping {
  property: PropertyDocument;
  chosen: Scored;
  others: Scored[];
}

/** Fills each property with the column that is likest to it; a column fills one property. */
export function foundMappings(type: VersionDocumentView, columns: readonly SampledColumn[]): FoundMapping[] {
  const wanted = type.properties.filter(({ status }) => status === 'active');
  const isKey = ({ code }: PropertyDocument) => type.primary_key.includes(code);
  const found = ranked(wanted.map(wantedOf), columns).map((scores, at) => {
    const property = wanted[at] as PropertyDocument;
    return scores.filter(({ column }) => fitOf(columns[column] as SampledColumn, property, isKey(property)));
  });
  const pairs = found
    .flatMap((scores, at) => scores.filter(({ score }) => score >= LEAST_SCORE).map((pair) => ({ at, pair })))
    .sort((a, b) => b.pair.score - a.pair.score || a.at - b.at || a.pair.column - b.pair.column);
  const chosen = new Map<number, Scored>();
  const taken = new Set<number>();
  for (const { at, pair } of pairs) {
    if (chosen.has(at) || taken.has(pair.column)) continue;
    chosen.set(at, pair);
    taken.add(pair.column);
  }
  return wanted.flatMap((property, at) => {
    const pair = chosen.get(at);
    if (pair === undefined) return [];
    return [{ property, chosen: pair, others: (found[at] ?? []).filter(({ column }) => column !== pair.column) }];
  });
}

const wantedOf = ({ code, name, value_type, enum: values }: PropertyDocument): Wanted => ({
  names: [code, name],
  type: value_type,
  values: values ?? [],
});

/** The suggestion as it is answered; a cast that loses sampled values is for a person to see. */
export function mappingView(
  { property, chosen, others }: FoundMapping,
  columns: readonly SampledColumn[],
  { isKey, topK, converts }: { isKey: boolean; topK: number; converts: Converts },
): SuggestedMappingView {
  const view = ({ column: at, score, confidence, reasons }: Scored): SuggestedChoice => {
    const column = columns[at] as SampledColumn;
    const fit = fitOf(column, property, isKey);
    const head = { column: column.name, score, confidence, reasons };
    if (fit === 'as_it_is' || fit === undefined) return head;
    const loses = !converts(column.name, fit.to);
    const cast = castSql(identifier(column.name), fit.to, { loose: loses });
    return { ...head, confidence: loses ? 'review' : confidence, cast };
  };
  return { property: property.code, ...view(chosen), alternatives: others.slice(0, topK).map(view) };
}

/** A relationship and the columns that may hold the keys of its other end. */
export interface FoundLink {
  relationship: RelationshipDocument;
  columns: string[];
  many: 'split' | 'list' | null;
  confidence: 'sure' | 'review';
}

/** A type that a relationship leads to, with keys of some of its entities. */
export interface LinkTarget {
  document: VersionDocumentView;
  keys: readonly string[];
}

/** Columns that hold keys of other types. The own key of a row does not lead to its own type. */
export function foundLinks(
  { code, type }: { code: string; type: VersionDocumentView },
  columns: readonly SampledColumn[],
  { targets, keyColumns }: { targets: ReadonlyMap<string, LinkTarget>; keyColumns: readonly string[] },
): FoundLink[] {
  return type.relationships.flatMap((relationship) => {
    const { target_type, target_key, cardinality } = relationship;
    const target = targets.get(target_type);
    const parts = target_key.map((part) => target?.document.properties.find((one) => one.code === part));
    const usable = target_type === code ? columns.filter(({ name }) => !keyColumns.includes(name)) : columns;
    const wanted = target_key.map((part, at) =>
      linkPart(relationship, part, { own: code, property: parts[at], target }),
    );
    const found = ranked(wanted, usable).map((scores, at) =>
      scores.find(({ column, score }) => {
        const type = usable[column]?.type ?? '';
        return score >= LEAST_LINK_SCORE && holds(type, parts[at], target_key.length === 1 && cardinality === 'many');
      }),
    );
    const complete = found.filter((one) => one !== undefined);
    if (complete.length < target_key.length) return [];
    const names = complete.map(({ column }) => usable[column]?.name ?? '');
    const isList = usable[complete[0]?.column ?? 0]?.type.startsWith('list<');
    const isMany = cardinality === 'many' && names.length === 1;
    const isSure = complete.every(({ confidence }) => confidence === 'sure');
    return [
      {
        relationship,
        columns: names,
        many: isMany ? (isList ? ('list' as const) : ('split' as const)) : null,
        confidence: isSure ? ('sure' as const) : ('review' as const),
      },
    ];
  });
}

function linkPart(
  { code, name, target_type, target_key }: RelationshipDocument,
  part: string,
  { own, property, target }: { own: string; property: PropertyDocument | undefined; target: LinkTarget | undefined },
): Wanted {
  const ends = target_type === own ? [code, name] : [code, name, target_type];
  const isOnly = target_key.length === 1;
  return {
    names: [...ends.map((end) => `${end}_${part}`), ...(isOnly ? ends : [])],
    type: property?.value_type ?? '',
    values: isOnly ? (target?.keys ?? []) : [],
  };
}

/** Whether a column of the type holds keys, or several of them. */
function holds(type: string, property: PropertyDocument | undefined, isMany: boolean): boolean {
  const item = /^list<(.*)>$/.exec(type)?.[1];
  if (property === undefined) return !NESTED.test(type);
  if (!isMany) return isCastable(type, property);
  return item === undefined ? type === 'string' : isCastable(item, property);
}
