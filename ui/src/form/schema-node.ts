/** The part of JSON Schema that forms are made of. */
export interface SchemaNode {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  required?: string[];
  properties?: Record<string, SchemaNode>;
  additionalProperties?: boolean | SchemaNode;
  items?: SchemaNode;
  oneOf?: SchemaNode[];
  airbyte_secret?: boolean;
  'x-advanced'?: boolean;
  'x-order'?: number;
  order?: number;
}

/** How a field is shown. `json` takes whatever the others cannot show. */
export type FieldKind =
  | 'dataset'
  | 'column'
  | 'columns'
  | 'secret'
  | 'choice'
  | 'switch'
  | 'number'
  | 'text'
  | 'lines'
  | 'list'
  | 'group'
  | 'variants'
  | 'json';

/** Longer texts than this get an area. */
const LONG_TEXT = 5_000;

/** Whether alternatives only differ in which members they want. */
const areRequirements = (oneOf: readonly SchemaNode[]) =>
  oneOf.every((one) => one.required?.length === 1 && one.properties === undefined);

/** The member whose constant tells the alternatives of a node apart. */
export function discriminator({ oneOf = [] }: SchemaNode): string | undefined {
  const [first] = oneOf;
  const names = Object.keys(first?.properties ?? {});
  return names.find((name) => oneOf.every(({ properties }) => properties?.[name]?.const !== undefined));
}

export function fieldKind(node: SchemaNode, isCredential: boolean): FieldKind {
  const { type, items, properties } = node;
  if (node.oneOf !== undefined && discriminator(node) !== undefined) return 'variants';
  if (node.enum?.every((value) => typeof value === 'string') && node.enum !== undefined) return 'choice';
  if (type === 'boolean') return 'switch';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return textKind(node, isCredential);
  // A text stands for a number or a boolean where both are taken.
  if (mayBeText(node)) return 'text';
  if (type === 'array' && items !== undefined && isText(items) && items.enum === undefined)
    return items.format === 'column' ? 'columns' : 'lines';
  if (type === 'array' && items?.properties !== undefined) return 'list';
  if (type === 'object' && properties !== undefined && node.oneOf === undefined) return 'group';
  return 'json';
}

function textKind(node: SchemaNode, isCredential: boolean): FieldKind {
  if (isCredential || node.airbyte_secret === true) return 'secret';
  return node.format === 'dataset' || node.format === 'column' ? node.format : 'text';
}

const SCALARS = ['string', 'number', 'integer', 'boolean', 'null'];
const mayBeText = ({ type }: SchemaNode) =>
  Array.isArray(type) && type.includes('string') && type.every((one) => SCALARS.includes(one));
const isText = (node: SchemaNode) => node.type === 'string' || mayBeText(node);

export const isLongText = ({ maxLength, format }: SchemaNode): boolean =>
  format === 'multiline' || (maxLength ?? 0) > LONG_TEXT;

/** The members of an object in the order of its schema, without those that another alternative has. */
export interface Members {
  plain: [name: string, node: SchemaNode][];
  advanced: [name: string, node: SchemaNode][];
  /** Of these members exactly one is given. */
  oneOf: string[];
}

export function members(node: SchemaNode, isOpen = false): Members {
  const oneOf =
    node.oneOf !== undefined && areRequirements(node.oneOf) ? node.oneOf.flatMap(({ required = [] }) => required) : [];
  const place = ([, { order, 'x-order': ordered }]: [string, SchemaNode]) =>
    ordered ?? order ?? Number.MAX_SAFE_INTEGER;
  const others = Object.entries(node.properties ?? {}).filter(([name]) => !oneOf.includes(name));
  const sorted = others.sort((a, b) => place(a) - place(b));
  const isPlain = ([name, one]: [string, SchemaNode]) =>
    one['x-advanced'] !== true && (isOpen || node.required?.includes(name) === true || one.airbyte_secret === true);
  return { plain: sorted.filter(isPlain), advanced: sorted.filter((one) => !isPlain(one)), oneOf };
}

export const titleOf = (name: string, { title }: SchemaNode): string => title ?? name.replaceAll('_', ' ');
