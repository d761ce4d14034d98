/** A member of a schema as a row: where it is, what it takes. */
export interface SchemaRow {
  /** JSON pointer of documents; `*` for each place of a list. */
  pointer: string;
  name: string;
  depth: number;
  type: string;
  isRequired: boolean;
  description: string;
  /** Bounds and values, in words. */
  rules: string[];
}

type Node = Readonly<Record<string, unknown>>;

interface Place {
  pointer: string;
  name: string;
  depth: number;
  isRequired: boolean;
}

/** Deeper members are not shown; a schema may lead back to itself. */
const MAX_DEPTH = 8;
const MAX_ROWS = 5_000;
const MAX_VALUES = 12;

/** The members of a schema in the order in which it declares them, those of nested objects below their own. */
export function schemaRows(schema: unknown): SchemaRow[] {
  const rows: SchemaRow[] = [];
  if (isNode(schema)) members(schema, { schema, rows }, { pointer: '', name: '', depth: 0, isRequired: false });
  return rows;
}

interface Whole {
  schema: Node;
  rows: SchemaRow[];
}

function members(given: Node, whole: Whole, at: Place): void {
  if (at.depth > MAX_DEPTH) return;
  for (const part of partsOf(given, whole.schema)) {
    const { properties, required, items, prefixItems } = part;
    const needed = Array.isArray(required) ? required : [];
    if (isNode(properties))
      for (const [name, node] of Object.entries(properties))
        add(node, whole, {
          pointer: `${at.pointer}/${escaped(name)}`,
          name,
          depth: at.depth,
          isRequired: needed.includes(name),
        });
    const lists = [items, ...(Array.isArray(prefixItems) ? prefixItems : [])].filter(isNode);
    for (const node of lists) {
      const place = { pointer: `${at.pointer}/*`, name: 'each item', depth: at.depth, isRequired: false };
      if (isPlain(node, whole.schema)) continue;
      add(node, whole, place);
    }
  }
}

function add(given: unknown, whole: Whole, place: Place): void {
  if (whole.rows.length >= MAX_ROWS) return;
  const node = isNode(given) ? followed(given, whole.schema) : {};
  const description = [node.description, node.title].find((text) => typeof text === 'string');
  whole.rows.push({
    ...place,
    type: given === false ? 'nothing' : typeOf(node, whole.schema),
    description: typeof description === 'string' ? description : '',
    rules: rulesOf(node),
  });
  members(node, whole, { ...place, depth: place.depth + 1 });
}

/** The schema itself and those that apply besides, one level each. */
function partsOf(node: Node, whole: Node): Node[] {
  const all = Array.isArray(node.allOf) ? node.allOf : [];
  return [node, ...all.filter(isNode).map((one) => followed(one, whole))];
}

/** Where a reference within the document leads, with the keywords beside it. */
function followed(node: Node, whole: Node): Node {
  let found = node;
  for (let steps = 0; steps < MAX_DEPTH && typeof found.$ref === 'string'; steps += 1) {
    const { $ref, ...beside } = found;
    const target = atPointer(whole, String($ref));
    if (target === undefined) return found;
    found = { ...target, ...beside };
  }
  return found;
}

function atPointer(whole: Node, ref: string): Node | undefined {
  if (!ref.startsWith('#')) return undefined;
  let at: unknown = whole;
  for (const step of decodeURI(ref.slice(1)).split('/').slice(1)) {
    if (!isNode(at) || !Object.hasOwn(at, unescaped(step))) return undefined;
    at = at[unescaped(step)];
  }
  return isNode(at) ? at : undefined;
}

/** Whether the items of a list are said by their type alone. */
function isPlain(node: Node, whole: Node): boolean {
  const { properties, items, allOf } = followed(node, whole);
  return properties === undefined && items === undefined && allOf === undefined;
}

function typeOf(node: Node, whole: Node): string {
  const { type, format, items, $ref } = node;
  const choices = [node.oneOf, node.anyOf].find(Array.isArray);
  const word = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : undefined;
  if (word === 'array' && isNode(items)) return `list of ${typeOf(followed(items, whole), whole)}`;
  if (word !== undefined) return typeof format === 'string' ? `${word} (${format})` : word;
  if (choices !== undefined) {
    const words = new Set(choices.filter(isNode).map((one) => typeOf(followed(one, whole), whole)));
    return [...words].join(' or ');
  }
  if (isNode(node.properties)) return 'object';
  if (typeof $ref === 'string') return $ref;
  return 'enum' in node || 'const' in node ? 'value' : 'anything';
}

const BOUNDS: readonly (readonly [keyword: string, words: (value: unknown) => string])[] = [
  ['const', (value) => `is ${JSON.stringify(value)}`],
  ['minimum', (value) => `≥ ${value}`],
  ['exclusiveMinimum', (value) => `> ${value}`],
  ['maximum', (value) => `≤ ${value}`],
  ['exclusiveMaximum', (value) => `< ${value}`],
  ['multipleOf', (value) => `multiple of ${value}`],
  ['minLength', (value) => `at least ${value} characters`],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minItems', (value) => `at least ${value} items`],
  ['maxItems', (value) => `at most ${value} items`],
  ['pattern', (value) => `matches ${value}`],
];

function rulesOf(node: Node): string[] {
  const bounds = BOUNDS.filter(([keyword]) => keyword in node && typeof node[keyword] !== 'boolean');
  const words = bounds.map(([keyword, wordsOf]) => wordsOf(node[keyword]));
  if (Array.isArray(node.enum)) words.unshift(`one of ${valuesText(node.enum)}`);
  if (node.additionalProperties === false) words.push('no other members');
  return words;
}

function valuesText(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const rest = values.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
