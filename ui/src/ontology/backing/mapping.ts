import type { Input } from '@weir/kernel/contract';
import type { createBackingDataset, EntityTypeView } from '@weir/plugin-ontology/contract';

export type BackingBody = Input<typeof createBackingDataset>['body'];

/** A column of a table, as far as a mapping needs it. */
export interface Column {
  name: string;
  isList: boolean;
}

/** Which column fills what: properties by their codes, relationships by theirs with a column for each part of the key. */
export interface Mapping {
  properties: Readonly<Record<string, string>>;
  relationships: Readonly<Record<string, readonly string[]>>;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Columns of the same name as what they fill; whatever differs is for people to choose. */
export function proposedMapping(type: EntityTypeView, columns: readonly Column[]): Mapping {
  const byName = new Map(columns.map(({ name }) => [plain(name), name]));
  const found = (...names: string[]) => names.map((name) => byName.get(plain(name))).find((one) => one !== undefined);
  const properties = type.properties.flatMap(({ code, name }) => {
    const column = found(code, name);
    return column === undefined ? [] : [[code, column] as const];
  });
  const relationships = type.relationships.flatMap(({ code, target_key: key }) => {
    const wanted = key.map((part) => found(`${code}_${part}`, ...(key.length === 1 ? [code] : [])));
    const complete = wanted.filter((one) => one !== undefined);
    return complete.length === key.length ? [[code, complete] as const] : [];
  });
  return { properties: Object.fromEntries(properties), relationships: Object.fromEntries(relationships) };
}

/** What the type needs and nothing fills yet, by names. */
export const unmapped = ({ properties, primary_key: key }: EntityTypeView, mapping: Mapping): string[] =>
  properties
    .filter(({ code, required }) => (required || key.includes(code)) && !mapping.properties[code])
    .map(({ name }) => name);

/** The mapping as the server takes it. */
export function mappingBody(
  type: EntityTypeView,
  { properties, relationships }: Mapping,
  columns: readonly Column[],
): Pick<BackingBody, 'property_mappings' | 'primary_key_mapping' | 'relationship_mappings'> {
  const lists = new Set(columns.filter(({ isList }) => isList).map(({ name }) => name));
  const filled = type.properties.filter(({ code }) => properties[code]);
  const led = type.relationships.filter(({ code, target_key: key }) => {
    const chosen = (relationships[code] ?? []).filter((column) => column !== '');
    return chosen.length === key.length;
  });
  return {
    property_mappings: filled.map(({ code }) => ({ column: properties[code] ?? '', property: code })),
    primary_key_mapping: type.primary_key.map((code) => ({ column: properties[code] ?? '', property: code })),
    relationship_mappings: led.map(({ code, target_type, target_key, cardinality }) => {
      const chosen = [...(relationships[code] ?? [])];
      const link = { relationship: code, columns: chosen, target_type, target_key };
      if (cardinality === 'one') return link;
      return { ...link, many: lists.has(chosen[0] ?? '') ? ('list' as const) : ('split' as const) };
    }),
  };
}
