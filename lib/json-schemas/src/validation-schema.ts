import { pointerBelow } from './json-pointer.ts';
import { linearPattern } from './linear-pattern.ts';
import { isCredential, isSchema, type Schema, schemaNodes } from './schema-nodes.ts';

/**
 * A specification as a validator takes it: `type: password` is a string, and a `pattern` that cannot be run in linear time is
 * left to the connector. `withoutCredentials` also lets every credential be
 * absent, for a configuration whose credentials are yet to come: no `required` names one of them, and as alternatives that
 * only a credential tells apart then all fit, `oneOf` asks for one at least. Pure.
 */
export function validationSchema(spec: Schema, withoutCredentials?: { named: readonly string[] }): Schema {
  const nodesOf = schemaNodes(spec);
  const named = new Set(withoutCredentials?.named);
  const isSecret = (nodes: readonly Schema[], key: string, pointer: string) =>
    named.has(pointerBelow(pointer, key)) || nodesOf.member(nodes, key).some(isCredential);
  const mapped = (members: unknown, map: (schema: Schema, key: string) => Schema): unknown =>
    isSchema(members)
      ? Object.fromEntries(Object.entries(members).map(([key, one]) => [key, isSchema(one) ? map(one, key) : one]))
      : members;

  /** `nodes` are all that describe the same value, `node` the one that is copied. */
  const copy = (node: Schema, nodes: readonly Schema[], pointer: string): Schema => {
    const same = (one: unknown) => (isSchema(one) ? copy(one, [...nodes, ...nodesOf.branches(one)], pointer) : one);
    const below = (one: unknown, key: string) =>
      isSchema(one) ? copy(one, nodesOf.branches(one), pointerBelow(pointer, key)) : one;
    const out: Record<string, unknown> = { ...node };
    if ('type' in node) out.type = typeOf(node.type);
    if (typeof node.pattern === 'string' && linearPattern(node.pattern) === undefined) delete out.pattern;
    for (const key of ['allOf', 'anyOf', 'oneOf']) if (Array.isArray(node[key])) out[key] = node[key].map(same);
    for (const key of ['if', 'then', 'else']) if (key in node) out[key] = same(node[key]);
    for (const key of ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']) {
      if (key in node) out[key] = mapped(node[key], (schema, name) => below(schema, name) as Schema);
    }
    if ('additionalProperties' in node) out.additionalProperties = below(node.additionalProperties, '*');
    for (const key of ['items', 'prefixItems', 'additionalItems']) {
      const items = node[key];
      if (key in node) out[key] = Array.isArray(items) ? items.map((one) => below(one, '*')) : below(items, '*');
    }
    if (withoutCredentials === undefined) return out;
    if (Array.isArray(node.required)) {
      out.required = node.required.filter((key) => typeof key !== 'string' || !isSecret(nodes, key, pointer));
    }
    if (Array.isArray(out.oneOf)) {
      out.allOf = [...(Array.isArray(out.allOf) ? out.allOf : []), { anyOf: out.oneOf }];
      delete out.oneOf;
    }
    return out;
  };
  // The dialect is named for readers; the validator knows the common keywords of all of them.
  const { $schema: _dialect, ...schema } = copy(spec, nodesOf.root, '');
  return schema;
}

function typeOf(type: unknown): unknown {
  if (Array.isArray(type)) return [...new Set(type.map(typeOf))];
  return type === 'password' ? 'string' : type;
}
