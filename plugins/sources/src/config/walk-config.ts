type Schema = Readonly<Record<string, unknown>>;
type Config = Readonly<Record<string, unknown>>;

/** What a configuration looks like beside the specification of its connector. */
export interface WalkedConfig {
  /** The declared fields that hold no credential: the only form in which a configuration leaves the service. */
  visible: Record<string, unknown>;
  /** Pointers of the objects that hold a field which the specification does not declare. */
  undeclared: string[];
}

/**
 * Walks a configuration beside its specification (JSON Schema with the branches of `oneOf`, `anyOf`, `allOf`). An
 * allow-list: a field is kept only when some branch declares it and none calls it a credential (`airbyte_secret`,
 * `type: password`, `format: password`, or a pointer in `credentials`). Pure.
 */
export function walkConfig(config: Config, spec: Schema, credentials: ReadonlySet<string> = new Set()): WalkedConfig {
  const undeclared = new Set<string>();
  const object = (value: Config, nodes: readonly Schema[], pointer: string): Record<string, unknown> => {
    const kept: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      const declared = nodes.flatMap((node) => propertySchemas(node, key));
      const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (declared.length === 0) undeclared.add(pointer);
      else if (!credentials.has(at) && !declared.some(isCredential)) kept[key] = any(member, declared, at);
    }
    return kept;
  };
  const any = (value: unknown, declared: readonly Schema[], pointer: string): unknown => {
    const nodes = declared.flatMap(branches);
    if (Array.isArray(value)) {
      const items = nodes.flatMap((node) => (isSchema(node.items) ? branches(node.items) : []));
      return value.map((item, index) => any(item, items, `${pointer}/${index}`));
    }
    return isSchema(value) ? object(value, nodes, pointer) : value;
  };
  return { visible: object(config, branches(spec), ''), undeclared: [...undeclared] };
}

/** A node with all its alternatives, which all may declare fields of the same object. */
function branches(node: Schema): Schema[] {
  const nested = [node.oneOf, node.anyOf, node.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [node, ...nested.filter(isSchema).flatMap(branches)];
}

function propertySchemas(node: Schema, key: string): Schema[] {
  const properties = isSchema(node.properties) ? node.properties : {};
  const own = Object.hasOwn(properties, key) && isSchema(properties[key]) ? branches(properties[key]) : [];
  const patterns = isSchema(node.patternProperties) ? Object.entries(node.patternProperties) : [];
  const matching = patterns.filter(([pattern, schema]) => isSchema(schema) && new RegExp(pattern, 'u').test(key));
  const found = [...own, ...matching.flatMap(([, schema]) => branches(schema as Schema))];
  if (found.length > 0) return found;
  return isSchema(node.additionalProperties) ? branches(node.additionalProperties) : [];
}

/** Whether a schema node calls its value a credential. */
export function isCredential(node: Schema): boolean {
  return node.airbyte_secret === true || node.type === 'password' || node.format === 'password';
}

/** Whether a specification declares a credential anywhere, in any branch. */
export function declaresCredential(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(declaresCredential);
  if (!isSchema(node)) return false;
  return isCredential(node) || Object.values(node).some(declaresCredential);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
