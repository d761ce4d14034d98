import { LakehouseError } from '../error/error.ts';

/** An Avro schema, as far as Iceberg's manifests use it; every other attribute (`field-id`) is carried along. */
export type AvroSchema =
  | string
  | readonly AvroSchema[]
  | {
      readonly type: AvroSchema;
      readonly name?: string;
      readonly namespace?: string;
      readonly fields?: readonly AvroField[];
      readonly items?: AvroSchema;
      readonly values?: AvroSchema;
      readonly size?: number;
      readonly [attribute: string]: unknown;
    };
export type AvroNode = Exclude<AvroSchema, string | readonly AvroSchema[]>;
export type AvroField = { readonly name: string; readonly type: AvroSchema; readonly [attribute: string]: unknown };
/** A decoded value: `int` is a number, `long` a bigint, bytes a Buffer, an absent optional null. */
export type AvroValue = null | boolean | number | bigint | string | Buffer | AvroValue[] | AvroRecord;
export type AvroRecord = { [name: string]: AvroValue };

const PRIMITIVES: ReadonlySet<string> = new Set([
  'null',
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'string',
  'bytes',
]);
/** Deeper schemas than this are refused; a manifest's has six levels. */
const MAX_DEPTH = 32;

/**
 * The schema with every name replaced by what it names, and every `{type: 'string'}` without more by `'string'`.
 * `avro_invalid` for an unknown name and for a type within itself, which manifests do not have.
 */
export function inlineNames(schema: AvroSchema): AvroSchema {
  const named = new Map<string, AvroSchema>();
  const visit = (part: AvroSchema, depth: number): AvroSchema => {
    if (depth > MAX_DEPTH) throw new LakehouseError('avro_invalid', 'An Avro schema is nested too deeply');
    if (typeof part === 'string') {
      const known = PRIMITIVES.has(part) ? part : named.get(part.replace(/^.*\./, ''));
      if (known === undefined) throw new LakehouseError('avro_invalid', 'An Avro type is not supported');
      return known;
    }
    if (Array.isArray(part)) return part.map((branch) => visit(branch, depth + 1));
    const node = { ...(part as AvroNode) };
    if (typeof node.type === 'object') return visit(node.type, depth + 1);
    const whole: AvroNode = {
      ...node,
      ...(node.fields && { fields: node.fields.map((field) => ({ ...field, type: visit(field.type, depth + 1) })) }),
      ...(node.items !== undefined && { items: visit(node.items, depth + 1) }),
      ...(node.values !== undefined && { values: visit(node.values, depth + 1) }),
    };
    if (node.name !== undefined) named.set(node.name.replace(/^.*\./, ''), whole);
    return whole;
  };
  return visit(schema, 0);
}

/** The ids of the fields that are known, and their names here; what other writers call them does not matter. */
export function fieldNames(schema: AvroSchema, names = new Map<number, string>()): Map<number, string> {
  if (typeof schema === 'string') return names;
  if (Array.isArray(schema)) {
    for (const branch of schema) fieldNames(branch, names);
    return names;
  }
  const node = schema as AvroNode;
  for (const field of node.fields ?? []) {
    if (typeof field['field-id'] === 'number') names.set(field['field-id'], field.name);
    fieldNames(field.type, names);
  }
  for (const inner of [node.items, node.values]) if (inner !== undefined) fieldNames(inner, names);
  return names;
}

/** The schema with the fields of known ids named as here. Fields without an id keep their names. */
export function renameFields(schema: AvroSchema, names: ReadonlyMap<number, string>): AvroSchema {
  if (typeof schema === 'string') return schema;
  if (Array.isArray(schema)) return schema.map((branch) => renameFields(branch, names));
  const node = schema as AvroNode;
  return {
    ...node,
    ...(node.fields && {
      fields: node.fields.map((field) => ({
        ...field,
        name: names.get(field['field-id'] as number) ?? field.name,
        type: renameFields(field.type, names),
      })),
    }),
    ...(node.items !== undefined && { items: renameFields(node.items, names) }),
    ...(node.values !== undefined && { values: renameFields(node.values, names) }),
  };
}
