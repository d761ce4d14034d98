import type { ParquetNode } from '../duckdb/parquet-shape.ts';
import { type Field, innerFields } from '../schema/types.ts';

/** Which field the columns of a file without field ids are, by their names. */
export type MappedField = {
  readonly id: number | undefined;
  readonly names: readonly string[];
  readonly fields: readonly MappedField[];
};

/** The table property that holds such a mapping. */
export const NAME_MAPPING_PROPERTY = 'schema.name-mapping.default';

/** The mapping that a table property holds, in the JSON form of the specification; undefined when it is none. */
export function parseNameMapping(text: string): MappedField[] | undefined {
  try {
    return mappedFields(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function mappedFields(value: unknown): MappedField[] {
  if (!Array.isArray(value)) throw new TypeError('This is no list of fields');
  return value.map((one: { 'field-id'?: unknown; names?: unknown; fields?: unknown }) => ({
    id: typeof one['field-id'] === 'number' ? one['field-id'] : undefined,
    names: Array.isArray(one.names) ? one.names.map(String) : [],
    fields: one.fields === undefined ? [] : mappedFields(one.fields),
  }));
}

/** The mapping by which each field has the name that it has now. */
export function mappingOfFields(fields: readonly Field[]): MappedField[] {
  return fields.map(({ id, name, type }) => ({ id, names: [name], fields: mappingOfFields(innerFields(type)) }));
}

/** Columns with the ids that a mapping gives them; one that it does not name has none. */
export function withMappedIds(nodes: readonly ParquetNode[], mapping: readonly MappedField[]): ParquetNode[] {
  return nodes.map((node) => {
    const mapped = mapping.find(({ names }) => names.includes(node.name));
    return { ...node, id: mapped?.id, children: withMappedIds(node.children, mapped?.fields ?? []) };
  });
}
