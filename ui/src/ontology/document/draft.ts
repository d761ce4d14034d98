import type { Input } from '@weir/kernel/contract';
import type { createEntityType, createEntityTypeVersion, EntityTypeView } from '@weir/plugin-ontology/contract';
import { parse } from 'yaml';
import { given } from '../../api/given.ts';

export type TypeDocument = Input<typeof createEntityTypeVersion>['body']['document'];
export type TypeBody = Input<typeof createEntityType>['body'];
export type GivenProperty = TypeDocument['properties'][number];
export type GivenRelationship = NonNullable<TypeDocument['relationships']>[number];
export type ValueType = GivenProperty['value_type'];

/** A property in the form; `id` is its own as long as the form is open. */
export interface PropertyRow {
  id: number;
  property: GivenProperty;
}
export interface RelationshipRow {
  id: number;
  relationship: GivenRelationship;
}

/** A document as the form holds it: key and title are rows, so that a code may change while it is typed. */
export interface DocumentDraft {
  properties: readonly PropertyRow[];
  /** Rows of the key in its order. */
  key: readonly number[];
  title: number | undefined;
  relationships: readonly RelationshipRow[];
  nextId: number;
}

/** Digits of a decimal for which nothing else is said: amounts of money fit. */
const DECIMAL = { precision: 18, scale: 2 };
const MAX_CODE = 64;

/** The document of a version as a new one takes it; members that have their defaults are left out. */
export const documentOf = ({
  properties,
  primary_key,
  title_property,
  relationships,
}: EntityTypeView): TypeDocument => ({
  properties: properties.map(shortProperty),
  primary_key,
  ...(title_property !== null && { title_property }),
  ...(relationships.length > 0 && { relationships: relationships.map(shortRelationship) }),
});

const shortProperty = ({
  code,
  name,
  value_type,
  carrier_type,
  constraints,
  ...facts
}: EntityTypeView['properties'][number]) => ({
  code,
  ...(name !== code && { name }),
  value_type,
  // The one type that travels in two ways.
  ...(value_type === 'json' && carrier_type === 'array' && { carrier_type }),
  ...(Object.keys(constraints).length > 0 && { constraints }),
  ...said(facts),
});

const shortRelationship = ({
  code,
  name,
  target_type,
  target_key,
  cardinality,
  ...facts
}: EntityTypeView['relationships'][number]) => ({
  code,
  target_type,
  target_key,
  cardinality,
  ...(name !== code && { name }),
  ...said(facts),
});

/** Members that differ from what holds without them. */
const said = <T extends object>(facts: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(facts).filter(
      ([, value]) => value !== null && value !== false && value !== 'active' && value !== 'allow',
    ),
  ) as Partial<T>;

export function draftOf({ properties, primary_key, title_property, relationships = [] }: TypeDocument): DocumentDraft {
  const rows = properties.map((property, id) => ({ id, property }));
  const idOf = (code: string) => rows.find(({ property }) => property.code === code)?.id;
  return {
    properties: rows,
    key: primary_key.flatMap((code) => idOf(code) ?? []),
    title: title_property == null ? undefined : idOf(title_property),
    relationships: relationships.map((relationship, at) => ({ id: rows.length + at, relationship })),
    nextId: rows.length + relationships.length,
  };
}

/** What the form says, as the server takes it; `own` is the code of the type itself. */
export function documentIn({ properties, key, title, relationships }: DocumentDraft, own: string): TypeDocument {
  const codeOf = (id: number) => properties.find((row) => row.id === id)?.property.code ?? '';
  const primary_key = key.map(codeOf);
  return {
    properties: properties.map(({ property }) => property),
    primary_key,
    ...(title !== undefined && { title_property: codeOf(title) }),
    ...(relationships.length > 0 && {
      relationships: relationships.map(({ relationship }) =>
        relationship.target_type === own ? { ...relationship, target_key: primary_key } : relationship,
      ),
    }),
  };
}

/** A property of another type of values: what bound the old ones is left out. */
export function retyped(
  { code, name, description, unit, required, indexed, renamed_from }: GivenProperty,
  to: ValueType,
) {
  const kept = { code, name, description, unit, required, renamed_from };
  const property = given(kept) as GivenProperty;
  const isIndexable = to !== 'json' && to !== 'geometry';
  return {
    ...property,
    value_type: to,
    ...(indexed === true && isIndexable && { indexed }),
    ...(to === 'list' && { item_type: 'string' as const }),
    ...(to === 'decimal' && { constraints: DECIMAL }),
  };
}

/** A property with another code; one that a version had before says so, unless that code is back. */
export function recoded(property: GivenProperty, code: string, before: ReadonlySet<string>): GivenProperty {
  const { renamed_from: known, ...rest } = property;
  const was = known ?? (before.has(property.code) ? property.code : undefined);
  return was === undefined || was === code ? { ...rest, code } : { ...rest, code, renamed_from: was };
}

/** A code that a name may have: `Müller & Söhne` as `MuellerSoehne`. */
export function proposedCode(name: string): string {
  const letters = name.replaceAll(/[äöüÄÖÜß]/g, (letter) => UMLAUTS[letter] ?? letter).normalize('NFKD');
  const words = letters.replaceAll(/\p{M}/gu, '').match(/[A-Za-z\d]+/g) ?? [];
  const joined = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return joined.replace(/^\d+/, '').slice(0, MAX_CODE);
}
const UMLAUTS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
  ß: 'ss',
};

export const CODE = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
export const CODE_RULE = 'A letter, then letters, digits and _; at most 64';

type Read<T> = { body: T } | { fault: string };

/** An object of a text of YAML or JSON: of a document as files are applied its `spec`, of one for a version its `document`. */
export function readDocument(text: string): Read<Record<string, unknown>> {
  try {
    const found: unknown = parse(text);
    if (!isObject(found)) return { fault: 'A document is an object with properties and a primary_key.' };
    const inner = [found.spec, found.document].find(isObject);
    return { body: inner ?? found };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the form can hold of a text; a fault says what it lacks for that. */
export function readDraft(text: string): Read<{ draft: DocumentDraft; labels: Partial<TypeBody> }> {
  const read = readDocument(text);
  if ('fault' in read) return read;
  const { properties, primary_key: key = [], title_property, relationships = [], ...labels } = read.body;
  const isList = (value: unknown): value is Record<string, unknown>[] => Array.isArray(value) && value.every(isObject);
  if (!isList(properties) || !isList(relationships) || !Array.isArray(key))
    return { fault: 'It needs properties, a primary_key and perhaps relationships, each of them a list.' };
  if ([...properties, ...relationships].some(({ code }) => typeof code !== 'string'))
    return { fault: 'Each property and relationship needs a code.' };
  return { body: { draft: draftOf({ properties, primary_key: key, title_property, relationships } as never), labels } };
}
