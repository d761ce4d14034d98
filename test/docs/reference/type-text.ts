import type { TSchema } from '@sinclair/typebox';

/** Names of shapes by the JSON text of their schema. */
export type ShapeNames = ReadonlyMap<string, string>;

const INDENT = '  ';
const FORMATS: Readonly<Record<string, string>> = { uuid: 'uuid', 'date-time': 'timestamp', uri: 'uri' };

/** A schema in the words of a type: `uuid`, `"a" | "b"`, `Source`, `{ … }` with one member a line. */
export function typeText(schema: TSchema | undefined, names: ShapeNames, indent = ''): string {
  if (schema === undefined) return 'unknown';
  const name = names.get(JSON.stringify(schema));
  if (name !== undefined) return name;
  const { anyOf, allOf, type, items } = schema as TSchema & Parts;
  if (schema.enum !== undefined) return (schema.enum as unknown[]).map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (anyOf !== undefined) return [...new Set(anyOf.map((one) => typeText(one, names, indent)))].join(' | ');
  if (allOf !== undefined) return allOf.map((one) => typeText(one, names, indent)).join(' & ');
  if (type === 'array') return arrayText(typeText(items, names, indent));
  if (type === 'object') return objectText(schema, names, indent);
  if (type === 'string') return FORMATS[String(schema.format)] ?? 'string';
  return typeof type === 'string' ? type : 'any';
}

interface Parts {
  anyOf?: TSchema[];
  allOf?: TSchema[];
  items?: TSchema;
}

function arrayText(item: string): string {
  return /^[\w]+$/.test(item) || item.startsWith('{') ? `${item}[]` : `(${item})[]`;
}

function objectText(schema: TSchema, names: ShapeNames, indent: string): string {
  const {
    properties,
    required = [],
    patternProperties,
  } = schema as unknown as {
    properties?: Record<string, TSchema>;
    required?: string[];
    patternProperties?: Record<string, TSchema>;
  };
  if (properties === undefined) {
    const value = Object.values(patternProperties ?? {})[0];
    return `{ [name]: ${typeText(value, names, indent)} }`;
  }
  return `{\n${memberLines({ properties, required }, names, indent + INDENT).join('\n')}\n${indent}}`;
}

/** One line a member: name, `?` when it may be absent, type, and what the schema says of it. */
export function memberLines(
  { properties, required }: { properties: Record<string, TSchema>; required: readonly string[] },
  names: ShapeNames,
  indent: string,
): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const meaning = meaningOf(schema, names);
    const said = meaning === '' ? '' : `  // ${meaning}`;
    return `${indent}${name}${required.includes(name) ? '' : '?'}: ${typeText(schema, names, indent)}${said}`;
  });
}

/** What a schema says of itself; of one that may be null, what the other says, unless that is a shape with a name. */
export function meaningOf(schema: TSchema, names: ShapeNames): string {
  if (schema.description !== undefined) return schema.description;
  const others = ((schema as TSchema & Parts).anyOf ?? []).filter(({ type }) => type !== 'null');
  const [only] = others;
  return only === undefined || others.length > 1 || names.has(JSON.stringify(only)) ? '' : (only.description ?? '');
}

/** The bounds and the default of a value, as a table shows them: `1 to 500, 50 unless given`. */
export function boundsText(schema: TSchema): string {
  const { minimum, maximum, minLength, maxLength, pattern } = schema;
  const words = [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    pattern === undefined || schema.description !== undefined
      ? ''
      : `fits \`${String(pattern).replaceAll('|', '\\|')}\``,
    schema.default === undefined ? '' : `\`${JSON.stringify(schema.default).replaceAll('|', '\\|')}\` unless given`,
  ];
  return words.filter((word) => word !== '').join(', ');
}

function range(least: unknown, most: unknown, what: string): string {
  if (least === undefined && most === undefined) return '';
  if (least === undefined) return `at most ${most}${what}`;
  if (most === undefined) return Number(least) === 0 ? '' : `at least ${least}${what}`;
  return `${least} to ${most}${what}`;
}
