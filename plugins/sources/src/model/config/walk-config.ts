import { unknownMember } from '@weir/documents';
import { isCredential, pointerBelow, type Schema, schemaNodes } from '@weir/json-schemas';

type Config = Readonly<Record<string, unknown>>;

/** What a configuration looks like beside the specification of its connector. */
export interface WalkedConfig {
  /** The declared fields that hold no credential: the only form in which a configuration is stored, or leaves the service. */
  visible: Record<string, unknown>;
  /** Everything else by its JSON pointer; `joinConfig` puts it back. */
  hidden: Map<string, unknown>;
  /** Pointers of the credentials among what is hidden; the rest of it is undeclared. */
  credentials: string[];
  /** Pointers of the objects that hold a field which the specification does not declare. */
  undeclared: string[];
  /** Of each of these, what is said of its first such field, in names that the specification declares there. */
  near: Map<string, ReturnType<typeof unknownMember>>;
}

/** What is left of a value, and what was taken out of it; a value that is a credential as a whole leaves nothing. */
type Walked = 'credential' | { visible: unknown; hidden: [string, unknown][] };

/**
 * Walks a configuration beside its specification. An allow-list: a field stays visible only when some branch declares it
 * and none calls it a credential (`airbyte_secret`, `credential`, `type: password`, `format: password`, or `named`: pointers
 * of the pattern's fields, `*` standing for any one segment). A list of credentials is hidden as a whole, so that what stays
 * of a list keeps its places. Pure.
 */
export function walkConfig(config: Config, spec: Schema, named: readonly string[] = []): WalkedConfig {
  const nodesOf = schemaNodes(spec);
  const near: WalkedConfig['near'] = new Map();
  const credentials: string[] = [];
  const matches = pointerMatcher(named);

  const object = (value: Config, nodes: readonly Schema[], pointer: string): Exclude<Walked, 'credential'> => {
    const kept: [string, unknown][] = [];
    const hidden: [string, unknown][] = [];
    for (const [key, member] of Object.entries(value)) {
      const at = pointerBelow(pointer, key);
      const declared = nodesOf.member(nodes, key);
      if (declared.length === 0 && !matches(at)) {
        if (!near.has(pointer)) near.set(pointer, unknownMember(key, namesOf(nodes)));
        hidden.push([at, member]);
        continue;
      }
      const walked = any(member, declared, at);
      if (walked === 'credential') {
        credentials.push(at);
        hidden.push([at, member]);
      } else {
        kept.push([key, walked.visible]);
        hidden.push(...walked.hidden);
      }
    }
    return { visible: Object.fromEntries(kept), hidden };
  };
  const array = (value: readonly unknown[], nodes: readonly Schema[], pointer: string): Walked => {
    const items = nodesOf.items(nodes);
    if (value.length > 0 && items.some(isCredential)) return 'credential';
    const before = credentials.length;
    const walked = value.map((item, index) => any(item, items, `${pointer}/${index}`));
    if (!walked.includes('credential')) {
      const parts = walked as Exclude<Walked, 'credential'>[];
      return { visible: parts.map(({ visible }) => visible), hidden: parts.flatMap(({ hidden }) => hidden) };
    }
    credentials.length = before;
    return 'credential';
  };
  const any = (value: unknown, nodes: readonly Schema[], pointer: string): Walked => {
    if (nodes.some(isCredential) || matches(pointer)) return 'credential';
    if (Array.isArray(value)) return array(value, nodes, pointer);
    if (typeof value === 'object' && value !== null) return object(value as Config, nodes, pointer);
    return { visible: value, hidden: [] };
  };
  const { visible, hidden } = object(config, nodesOf.root, '');
  return {
    visible: visible as Record<string, unknown>,
    hidden: new Map(hidden),
    credentials,
    undeclared: [...near.keys()],
    near,
  };
}

const namesOf = (nodes: readonly Schema[]): string[] => [
  ...new Set(nodes.flatMap(({ properties }) => Object.keys((properties ?? {}) as object))),
];

/** Tells whether one of the named pointers, in which `*` stands for any one segment, names a given one. */
export function pointerMatcher(named: readonly string[]): (pointer: string) => boolean {
  if (named.length === 0) return () => false;
  const plain = new Set(named.filter((pointer) => !pointer.includes('/*')));
  const wild = named.filter((pointer) => pointer.includes('/*')).map((pointer) => pointer.split('/'));
  return (pointer) => {
    if (plain.has(pointer)) return true;
    const segments = pointer.split('/');
    return wild.some(
      (one) => one.length === segments.length && one.every((segment, k) => segment === '*' || segment === segments[k]),
    );
  };
}
