import type { JsonSchema } from '@weir/connector-sdk';
import { columnSchema, NO_VALUE } from './column-type.ts';

/** What a value is to a column. Integers differ by who can hold them: a double, 64 bits, or only text. */
type Kind = 'boolean' | 'integer' | 'long' | 'huge' | 'fraction' | 'text' | 'list' | 'object';

/** The kinds that each member of the documents has had so far, in the order in which the members first came. */
export type SeenKinds = Map<string, Set<Kind>>;

const INTEGER = /^-?[0-9]+$/;
const LEAST_LONG = -(2n ** 63n);
const MOST_LONG = 2n ** 63n - 1n;

/** Notes the kinds of a document's members. Numbers are doubles, or `JSON.rawJSON` of those that no double carries. */
export function noteKinds(seen: SeenKinds, document: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(document)) {
    const kinds = seen.get(name) ?? new Set();
    seen.set(name, kinds);
    const kind = kindOf(value);
    if (kind !== undefined) kinds.add(kind);
  }
}

/** The columns that hold all the kinds seen: text where they have nothing else in common, or where a number would be rounded; of no type where none was. */
export function columnsOf(seen: SeenKinds): Record<string, JsonSchema> {
  return Object.fromEntries([...seen].map(([name, kinds]) => [name, columnSchema({ name, type: typeOf(kinds) })]));
}

/** The text of a number in its document; undefined for anything else. */
export function numeral(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  const raw = (value as { rawJSON?: unknown } | null)?.rawJSON;
  return typeof raw === 'string' && isRawJson(value) ? raw : undefined;
}

const isRawJson = (value: unknown) => (JSON as typeof JSON & { isRawJSON(value: unknown): boolean }).isRawJSON(value);

function kindOf(value: unknown): Kind | undefined {
  if (value === null) return undefined;
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'text';
  const number = numeral(value);
  if (number === undefined) return Array.isArray(value) ? 'list' : 'object';
  if (!INTEGER.test(number)) return 'fraction';
  if (Number.isSafeInteger(Number(number))) return 'integer';
  const exact = BigInt(number);
  return exact >= LEAST_LONG && exact <= MOST_LONG ? 'long' : 'huge';
}

/** The type in DuckDB's words, as other files have theirs. */
function typeOf(kinds: ReadonlySet<Kind>): string {
  const only = (...allowed: Kind[]) => [...kinds].every((kind) => allowed.includes(kind));
  if (kinds.size === 0) return NO_VALUE;
  if (only('boolean')) return 'BOOLEAN';
  if (only('integer', 'long')) return 'BIGINT';
  if (only('integer', 'fraction')) return 'DOUBLE';
  if (only('list')) return 'JSON[]';
  return only('object') ? 'STRUCT()' : 'VARCHAR';
}
