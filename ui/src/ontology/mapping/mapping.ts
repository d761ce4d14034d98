import type { Input } from '@weir/kernel/contract';
import type {
  BackingDatasetView,
  createBackingDataset,
  EntityTypeView,
  SuggestionsView,
} from '@weir/plugin-ontology/contract';

export type BackingBody = Input<typeof createBackingDataset>['body'];

/** A column of a table, as far as a mapping needs it. */
export interface Column {
  name: string;
  type: string;
}

/** What fills a property: a column, or SQL over the columns of a row. A doubtful one is a proposal until a person takes it. */
export interface Fill {
  column: string;
  sql?: string;
  isDoubtful: boolean;
}

/** A column for each part of the key of the other end. */
export interface Lead {
  columns: readonly string[];
  isDoubtful: boolean;
}

/** What fills what: properties and relationships by their codes. */
export interface Mapping {
  properties: Readonly<Record<string, Fill>>;
  relationships: Readonly<Record<string, Lead>>;
}

/** The suggestion as a mapping, in which nothing is decided that is not sure. */
export function suggestedMapping({ mappings, relationships }: SuggestionsView): Mapping {
  const fills = mappings.map(({ property, column, cast, confidence }): [string, Fill] => {
    const isDoubtful = confidence === 'review';
    return [property, cast === undefined ? { column, isDoubtful } : { column, sql: cast, isDoubtful }];
  });
  const leads = relationships.map(({ relationship, columns, confidence }): [string, Lead] => [
    relationship,
    { columns, isDoubtful: confidence === 'review' },
  ]);
  return { properties: Object.fromEntries(fills), relationships: Object.fromEntries(leads) };
}

/** The members of a backing dataset that the board shows. */
export type Mapped = Pick<BackingDatasetView, 'property_mappings' | 'relationship_mappings'>;

/** What is stored, as the board has it: all of it is decided. */
export function storedMapping({ property_mappings, relationship_mappings }: Mapped): Mapping {
  const fills = property_mappings.map(({ property, column = '', expression }): [string, Fill] => [
    property,
    expression === undefined ? { column, isDoubtful: false } : { column, sql: expression, isDoubtful: false },
  ]);
  const leads = relationship_mappings.map(({ relationship, columns }): [string, Lead] => [
    relationship,
    { columns, isDoubtful: false },
  ]);
  return { properties: Object.fromEntries(fills), relationships: Object.fromEntries(leads) };
}

/** Fills a property; a cast is kept where the suggestion has one for the column. */
export function filled(mapping: Mapping, code: string, fill: Fill | undefined): Mapping {
  const { [code]: _, ...others } = mapping.properties;
  return { ...mapping, properties: fill === undefined ? others : { ...others, [code]: fill } };
}

export function led(mapping: Mapping, code: string, lead: Lead | undefined): Mapping {
  const { [code]: _, ...others } = mapping.relationships;
  return { ...mapping, relationships: lead === undefined ? others : { ...others, [code]: lead } };
}

/** A column that a person chose for a property, with the cast that the suggestion knows for it. */
export function chosenFill({ mappings }: SuggestionsView, code: string, column: string): Fill {
  const found = mappings.find(({ property }) => property === code);
  const cast = [found, ...(found?.alternatives ?? [])].find((one) => one?.column === column)?.cast;
  return cast === undefined ? { column, isDoubtful: false } : { column, sql: cast, isDoubtful: false };
}

/** How many proposals wait for a person. */
export const doubtful = ({ properties, relationships }: Mapping): number =>
  [...Object.values(properties), ...Object.values(relationships)].filter(({ isDoubtful }) => isDoubtful).length;

const isLed = (lead: Lead | undefined, size: number): lead is Lead =>
  lead !== undefined && !lead.isDoubtful && lead.columns.filter((column) => column !== '').length === size;

/** What the type needs and nothing fills yet, by names. */
export function unmapped({ properties, primary_key: key, relationships }: EntityTypeView, mapping: Mapping): string[] {
  const isFilled = (code: string) => mapping.properties[code]?.isDoubtful === false;
  return [
    ...properties.filter(({ code, required }) => (required || key.includes(code)) && !isFilled(code)),
    ...relationships.filter(
      ({ code, required, target_key }) => required && !isLed(mapping.relationships[code], target_key.length),
    ),
  ].map(({ name }) => name);
}

/** The decided part of the mapping as the server takes it; how a column that stays holds several keys stays as `stored` has it. */
export function mappingBody(
  type: EntityTypeView,
  { properties, relationships }: Mapping,
  columns: readonly Column[],
  stored: Mapped['relationship_mappings'] = [],
): Pick<BackingBody, 'property_mappings' | 'primary_key_mapping' | 'relationship_mappings'> {
  const lists = new Set(columns.filter((one) => one.type.startsWith('list<')).map(({ name }) => name));
  const fills = type.properties.flatMap(({ code: property }) => {
    const fill = properties[property];
    return fill === undefined || fill.isDoubtful ? [] : [{ property, fill }];
  });
  return {
    property_mappings: fills.map(({ property, fill: { column, sql } }) =>
      sql === undefined ? { column, property } : { expression: sql, property },
    ),
    primary_key_mapping: type.primary_key.flatMap((property) => {
      const fill = fills.find((one) => one.property === property)?.fill;
      return fill === undefined ? [] : [{ column: fill.column, property }];
    }),
    relationship_mappings: type.relationships.flatMap(({ code, target_type, target_key, cardinality }) => {
      const lead = relationships[code];
      if (!isLed(lead, target_key.length)) return [];
      const link = { relationship: code, columns: [...lead.columns], target_type, target_key };
      const before = stored.find((one) => one.relationship === code && String(one.columns) === String(lead.columns));
      if (cardinality === 'one' || target_key.length > 1) return [link];
      if (before !== undefined) return [{ ...link, many: before.many }];
      return [{ ...link, many: lists.has(lead.columns[0] ?? '') ? ('list' as const) : ('split' as const) }];
    }),
  };
}

/** Columns with the linked ones first, in the order of what they fill: lines cross seldom. Not changed by what is linked later. */
export function arranged(type: EntityTypeView, columns: readonly Column[], { properties }: Mapping): Column[] {
  const places = new Map(type.properties.map(({ code }, at) => [properties[code]?.column ?? '', at]));
  const placeOf = ({ name }: Column) => places.get(name) ?? type.properties.length;
  return columns.toSorted((a, b) => placeOf(a) - placeOf(b));
}
