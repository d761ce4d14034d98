import type { FieldView } from '../../contract/shapes.ts';

/** A field of a schema; of a sensitive one nothing but its name and type leaves the platform. */
export interface Field extends FieldView {
  sensitive: boolean;
}

/** What relates the entities of a type to those of another. */
export interface Relationship {
  code: string;
  target_type: string;
  target_key: readonly string[];
}

/** A schema that columns can be brought into. */
export interface Target {
  source: 'registry' | 'library' | 'ontology' | 'inferred';
  full_id: string | null;
  fields: readonly Field[];
  relationships: readonly Relationship[];
}

const plain = { nullable: true, primary_key: false, description: null, sensitive: false };

/** Columns of a table, or those that a request lists. */
export const fieldsOfColumns = (columns: readonly { name: string; type?: string | undefined }[]): Field[] =>
  columns.map(({ name, type }) => ({ ...plain, name, type: type ?? null }));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The properties of a JSON Schema of an object; empty for any other schema. */
export function fieldsOfJsonSchema(schema: unknown): Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const keys = new Set(Array.isArray(schema['x-primary-key']) ? schema['x-primary-key'] : []);
  return Object.entries(schema.properties).map(([name, property]) => {
    const node = isObject(property) ? property : {};
    return {
      name,
      type: jsonType(node),
      nullable: !required.has(name),
      primary_key: keys.has(name),
      description: typeof node.description === 'string' ? node.description.slice(0, 500) : null,
      sensitive: node.sensitive === true || node.writeOnly === true || node.format === 'password',
    };
  });
}

/** `date` and `date-time` are strings in JSON, and more than that for a table. */
function jsonType({ type, format }: Record<string, unknown>): string | null {
  const words = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string' && one !== 'null');
  const [word] = words as string[];
  if (word === 'string' && format === 'date') return 'date';
  if (word === 'string' && format === 'date-time') return 'timestamptz';
  return word ?? null;
}

interface EntityTypeShape {
  code: string;
  primary_key: readonly string[];
  properties: readonly {
    code: string;
    value_type: string;
    required: boolean;
    sensitive: boolean;
    description: string | null;
  }[];
  relationships: readonly Relationship[];
}

/** An entity type of the ontology. */
export function targetOfEntityType({ code, primary_key, properties, relationships }: EntityTypeShape): Target {
  return {
    source: 'ontology',
    full_id: code,
    relationships: relationships.map(({ code, target_type, target_key }) => ({ code, target_type, target_key })),
    fields: properties.map((property) => ({
      name: property.code,
      type: property.value_type,
      nullable: !property.required,
      primary_key: primary_key.includes(property.code),
      description: property.description,
      sensitive: property.sensitive,
    })),
  };
}

/** A field as answers show it. */
export const shownField = ({ sensitive: _, ...field }: Field): FieldView => field;
