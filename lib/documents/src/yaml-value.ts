import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { DocumentFault } from './document-fault.ts';
import { isoTimestamp } from './iso-timestamp.ts';
import { FORBIDDEN_KEYS, isKeepable, MAX_DEPTH } from './strict-json.ts';

export { DocumentFault, type DocumentFaultCode } from './document-fault.ts';

/** Values in one document, keys and expanded aliases included. */
export const MAX_NODES = 40_000;
/** Text that aliases repeat, in characters. */
const MAX_REPEATED = 1024 * 1024;
const INTEGER = /^[-+]?(\d+|0o[0-7]+|0x[\da-f]+)$/i;
const INFINITY_OR_NAN = /^[-+]?\.(inf|nan)$/i;

/**
 * The JSON value of a node tree: aliases expanded and counted as often as they stand, keys text and unique. Throws
 * `malformed_yaml`, `yaml_not_json` (a value that holds itself, a key that is no text, a merge, `.inf`) or
 * `unsafe_number`.
 */
export function yamlValue(root: Node | null): unknown {
  /** The newest anchor of each name so far; undefined while the walk is inside what it names. */
  const anchors = new Map<string, Node | undefined>();
  const targets = new Map<Alias, Node | undefined>();
  let [nodes, repeated] = [0, 0];
  /** `again` is true behind an alias, where what the anchors meant has been settled. */
  const read = (node: unknown, depth: number, again: boolean): unknown => {
    if (!isAlias(node)) nodes += 1;
    if (again && isScalar(node)) repeated += node.source?.length ?? 0;
    if (nodes > MAX_NODES || repeated > MAX_REPEATED) throw new DocumentFault('malformed_yaml');
    if (isAlias(node)) {
      if (!targets.has(node) && !anchors.has(node.source)) throw new DocumentFault('malformed_yaml');
      if (!targets.has(node)) targets.set(node, anchors.get(node.source));
      const target = targets.get(node);
      if (target === undefined) throw new DocumentFault('yaml_not_json');
      return read(target, depth, true);
    }
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    if (node.anchor !== undefined && !again) anchors.set(node.anchor, undefined);
    const value = isScalar(node) ? scalarValue(node) : readCollection(node, depth + 1, again);
    if (node.anchor !== undefined && !again) anchors.set(node.anchor, node as Node);
    return value;
  };
  const readCollection = (node: YAMLMap | YAMLSeq, depth: number, again: boolean): unknown => {
    if (depth > MAX_DEPTH) throw new DocumentFault('malformed_yaml');
    if (isSeq(node)) return node.items.map((item) => read(item, depth, again));
    const object: Record<string, unknown> = {};
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? read(key, depth, again) : undefined;
      if (typeof name !== 'string' || (isScalar(key) && key.type === 'PLAIN' && name === '<<'))
        throw new DocumentFault('yaml_not_json');
      if (FORBIDDEN_KEYS.has(name) || Object.hasOwn(object, name)) throw new DocumentFault('malformed_yaml');
      object[name] = read(value, depth, again);
    }
    return object;
  };
  return read(root, 0, false);
}

function scalarValue({ value, type, tag, source = '' }: Scalar): unknown {
  if (typeof value === 'string') {
    if (!isKeepable(value)) throw new DocumentFault('malformed_yaml');
    return type === 'PLAIN' && tag === undefined ? isoTimestamp(value) : value;
  }
  if (typeof value !== 'number') return value;
  if (INFINITY_OR_NAN.test(source)) throw new DocumentFault('yaml_not_json');
  if (!Number.isFinite(value) || (INTEGER.test(source) && !Number.isSafeInteger(value)))
    throw new DocumentFault('unsafe_number');
  return value;
}
