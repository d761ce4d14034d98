import type { JsonSchema } from '@weir/connector-sdk';
import { isExact, wholeOf } from '../template/number.ts';
import { isDictionary, member, type Value } from '../template/value.ts';

type Seen = { readonly kinds: Set<string>; readonly members: Map<string, Seen>; items: Seen | undefined };
const fresh = (): Seen => ({ kinds: new Set(), members: new Map(), items: undefined });

/** A schema that fits the records of a sample: each member by what was seen of it, and null besides. */
export function inferSchema(records: readonly Value[]): JsonSchema {
  const seen = fresh();
  for (const record of records) look(record, seen);
  return { type: 'object', properties: propertiesOf(seen), additionalProperties: true };
}

function look(value: Value, seen: Seen): void {
  seen.kinds.add(kindOf(value));
  if (Array.isArray(value)) {
    seen.items ??= fresh();
    for (const item of value) look(item, seen.items);
  } else if (isDictionary(value)) {
    for (const name of Object.keys(value)) {
      const inner = seen.members.get(name) ?? fresh();
      seen.members.set(name, inner);
      look(member(value, name), inner);
    }
  }
}

function kindOf(value: Value): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || isExact(value)) return wholeOf(value) === undefined ? 'number' : 'integer';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : 'object';
}

const propertiesOf = ({ members }: Seen): JsonSchema =>
  Object.fromEntries([...members].map(([name, seen]) => [name, schemaOf(seen)]));

function schemaOf({ kinds, ...seen }: Seen): JsonSchema {
  const known = [...kinds].filter((kind) => kind !== 'null' && !(kind === 'integer' && kinds.has('number'))).sort();
  if (known.length === 0) return { type: ['null', 'string'] };
  // Values of several kinds are kept as the text of their JSON.
  if (known.length > 1) return { type: ['null', 'string', ...known.filter((kind) => kind !== 'string')] };
  const [kind] = known;
  if (kind === 'object') return { type: ['null', 'object'], properties: propertiesOf({ kinds, ...seen }) };
  if (kind === 'array')
    return {
      type: ['null', 'array'],
      ...(seen.items === undefined || seen.items.kinds.size === 0 ? {} : { items: schemaOf(seen.items) }),
    };
  return { type: ['null', kind] };
}
