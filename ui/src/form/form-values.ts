import { CHOSEN, type FormValues } from './compose-config.ts';
import { members, type SchemaNode } from './schema-node.ts';

type Config = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a form holds for a configuration that is there: the inverse of `composeConfig`, without credentials. Pure. */
export function valuesOf(schema: SchemaNode, config: Config): FormValues {
  const { oneOf } = members(schema);
  const chosen = oneOf.find((name) => config[name] !== undefined);
  const values = Object.entries(schema.properties ?? {}).flatMap(([name, node]) =>
    config[name] === undefined ? [] : [[name, formValueOf(node, config[name])]],
  );
  return { ...Object.fromEntries(values), ...(chosen !== undefined && { [CHOSEN]: chosen }) };
}

function formValueOf(node: SchemaNode, value: unknown): unknown {
  if (isObject(value) && node.properties !== undefined) return valuesOf(node, value);
  if (Array.isArray(value) && node.items?.properties !== undefined)
    return value.map((item) => (isObject(item) ? valuesOf(node.items ?? {}, item) : item));
  return value;
}

/** The JSON merge patch that makes one configuration of another; undefined where they are the same. Pure. */
export function mergePatchOf(before: Config, after: Config): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, next] = [before[name], after[name]];
    if (JSON.stringify(old) === JSON.stringify(next)) continue;
    const inner = isObject(old) && isObject(next) ? mergePatchOf(old, next) : next;
    patch[name] = inner ?? null;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
