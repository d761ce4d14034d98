import { type Canary, canary, numberCanary } from './search/canary.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A configuration that fits a specification, with a canary in every field that is a credential. */
export interface PlantedConfig {
  /** What no credential is, as far as the specification demands it. */
  readonly visible: Record<string, unknown>;
  /** The credentials alone, by their JSON pointers. */
  readonly secret: Readonly<Record<string, unknown>>;
  /** Both in one, as a client writes them that knows no difference. */
  readonly whole: Record<string, unknown>;
  readonly canaries: readonly Canary[];
}

/** Behind each canary, so that a form which escapes is another than the plain one; those who mask must know them all. */
const TAIL = '"\\/+&=%<>\'\u00fc\n';
const MAX_BRANCHES = 8;
/** Names that a pattern of property names may take. */
const NAMES = ['x-canary', 'canary', 'a', 'A', 'token', '_x', 'x1', '0'];

/** Whether a specification calls the value of this node a credential. Told anew here: what is proved is not used. */
const isSecret = (node: Schema) =>
  node.airbyte_secret === true || node.type === 'password' || node.format === 'password' || node.credential === true;
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const schemas = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** How many configurations it takes to enter every branch of every choice of a specification at least once. */
export function branchesOf(node: unknown): number {
  if (Array.isArray(node)) return Math.max(1, ...node.map(branchesOf));
  if (!isSchema(node)) return 1;
  const choices = Math.max(schemas(node.oneOf).length, schemas(node.anyOf).length, 1);
  return Math.min(MAX_BRANCHES, Math.max(choices, ...Object.values(node).map(branchesOf)));
}

interface Planting {
  readonly mode: string;
  readonly branch: number;
  /** Pointers, with or without a slash before, that the pattern lists as credentials. */
  readonly listed: ReadonlySet<string>;
  readonly canaries: Canary[];
  readonly secret: Record<string, unknown>;
}

/** Plants canaries in a configuration that enters a branch of every choice. */
export function plantConfig(
  spec: Schema,
  { mode, branch, listed }: { mode: string; branch: number; listed: readonly string[] },
): PlantedConfig {
  const pointers = new Set(listed.map((path) => (path.startsWith('/') ? path : `/${path}`)));
  const planting: Planting = { mode, branch, listed: pointers, canaries: [], secret: {} };
  const { whole, visible } = plantedValue(spec, '', planting);
  const { canaries, secret } = planting;
  return { canaries, secret, whole: objectOf(whole), visible: objectOf(visible) };
}

const objectOf = (value: unknown) => (isSchema(value) ? (value as Record<string, unknown>) : {});

/** The value of a node with its credentials and without; undefined where there is nothing. */
interface Value {
  whole?: unknown;
  visible?: unknown;
  /** Whether a credential is inside. */
  holds: boolean;
}

function plantedValue(given: Schema, pointer: string, planting: Planting): Value {
  const nodes = entered(given, planting.branch);
  if (nodes.some(isSecret) || planting.listed.has(pointer)) {
    const whole = secretOf(nodes, pointer, planting);
    planting.secret[pointer] = whole;
    return { whole, holds: true };
  }
  const list = nodes.find((node) => isSchema(node.items));
  if (list !== undefined) {
    const item = plantedValue(list.items as Schema, `${pointer}/0`, planting);
    return item.holds ? { whole: [item.whole], visible: [item.visible], holds: true } : plain(nodes);
  }
  const members = membersOf(nodes);
  if (members.size === 0) return plain(nodes);
  const [whole, visible]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
  const required = new Set(nodes.flatMap((node) => (Array.isArray(node.required) ? node.required : [])));
  let holds = false;
  for (const [name, schema] of members) {
    const member = plantedValue(schema, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, planting);
    if (!member.holds && !required.has(name)) continue;
    holds ||= member.holds;
    whole[name] = member.whole;
    if (member.visible !== undefined) visible[name] = member.visible;
  }
  return { whole, visible, holds };
}

/** A node with the branches of its choices that this configuration enters. */
function entered(node: Schema, branch: number): Schema[] {
  const choice = (list: Schema[]) => list.slice(branch % Math.max(1, list.length)).slice(0, 1);
  const nested = [...choice(schemas(node.oneOf)), ...choice(schemas(node.anyOf)), ...schemas(node.allOf)];
  return [node, ...nested.flatMap((inner) => entered(inner, branch))];
}

function membersOf(nodes: readonly Schema[]): Map<string, Schema> {
  const members = new Map<string, Schema>();
  const add = (name: string, schema: unknown) => {
    if (!isSchema(schema)) return;
    const known = members.get(name);
    members.set(name, known === undefined ? schema : { allOf: [known, schema] });
  };
  for (const node of nodes) {
    for (const [name, schema] of Object.entries(objectOf(node.properties))) add(name, schema);
    for (const [pattern, schema] of Object.entries(objectOf(node.patternProperties))) {
      const name = NAMES.find((one) => new RegExp(pattern, 'u').test(one));
      if (name === undefined) throw new Error(`no name of ours fits the pattern ${pattern}: add one to NAMES`);
      add(name, schema);
    }
    if (isSchema(node.additionalProperties)) add('more', node.additionalProperties);
  }
  return members;
}

function secretOf(nodes: readonly Schema[], pointer: string, { mode, branch, canaries }: Planting): unknown {
  const planted = canary(mode, `${pointer}${branch === 0 ? '' : `#${branch}`}`);
  const type = nodes.map((node) => node.type).find((one) => typeof one === 'string');
  if (type === 'integer' || type === 'number') {
    const text = numberCanary();
    canaries.push({ ...planted, text });
    return Number(text);
  }
  canaries.push(planted);
  if (type === 'object') return { value: planted.text };
  if (type === 'array') return [planted.text];
  const limited = nodes.some((node) => node.maxLength !== undefined || node.pattern !== undefined || node.enum);
  return limited ? planted.text : `${planted.text}${TAIL}`;
}

/** The smallest value that a node takes, as far as that can be told. */
function plain(nodes: readonly Schema[]): Value {
  const of = (name: string) => nodes.find((node) => node[name] !== undefined)?.[name];
  const first = (name: string) => (Array.isArray(of(name)) ? (of(name) as unknown[])[0] : undefined);
  const type = Array.isArray(of('type')) ? first('type') : of('type');
  const kinds: Readonly<Record<string, () => unknown>> = {
    integer: () => Number(of('minimum') ?? 1),
    number: () => Number(of('minimum') ?? 1),
    boolean: () => false,
    array: () => [],
    object: () => ({}),
    null: () => null,
  };
  const text = () => (of('format') === 'uri' ? 'http://127.0.0.1:9/' : 'x'.repeat(Number(of('minLength') ?? 1)));
  const said = of('const') ?? of('default') ?? first('enum') ?? first('examples');
  const whole = said ?? (kinds[String(type)] ?? text)();
  return { whole, visible: whole, holds: false };
}
