/** Texts that end a quoted name or literal, comment the rest out, or speak the template's language. */
export const HOSTILE_TEXTS: readonly string[] = [
  `"; drop table orders; --`,
  `'; drop table orders; --`,
  `x' or '1'='1`,
  `x" or "1"="1`,
  `x") from read_text('/etc/passwd') --`,
  `x'), getenv('HOME') as y --`,
  `\\'; select 1; --`,
  `"\\"`,
  `''''`,
  `""""`,
  `/* x`,
  `*/ x`,
  `-- x`,
  `$$ x $$`,
  `E'\\x27'`,
  `{{ input }}`,
  `{% for x in (1..9) %}x{% endfor %}`,
  `x\ny;\r\n--`,
  `ⅹ＂＇`,
  ` `,
  `,`,
  `)`,
  `\0`,
  `\ud800`,
  '',
  'é'.repeat(200),
  '"'.repeat(255),
];

/** Values of another type than text. */
const HOSTILE_VALUES: readonly unknown[] = [null, [], {}, true, -1, 1e308, [['x']], { length: 3 }, ['"'], ["'"]];

export interface HostileCase {
  readonly pointer: string;
  readonly parameters: Record<string, unknown>;
  /** The text in place of `instead`; undefined for a value of another type. */
  readonly text: string | undefined;
  readonly instead: unknown;
}

/** Parameters in which one value, or the name of one member, is hostile; every value and every text in turn. */
export function* hostileCases(parameters: Readonly<Record<string, unknown>>): Generator<HostileCase> {
  for (const { path, value } of leaves(parameters)) {
    const pointer = path.map((one) => `/${one}`).join('');
    const replaced = (by: unknown) => withValue(parameters, path, by) as Record<string, unknown>;
    for (const text of HOSTILE_TEXTS) yield { pointer, parameters: replaced(text), text, instead: value };
    for (const other of HOSTILE_VALUES) {
      yield { pointer, parameters: replaced(other), text: undefined, instead: value };
    }
  }
}

function* leaves(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<{ path: readonly (string | number)[]; value: unknown }> {
  if (Array.isArray(value)) for (const [at, one] of value.entries()) yield* leaves(one, [...path, at]);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) yield* leaves(one, [...path, name]);
  } else yield { path, value };
}

function withValue(value: unknown, [first, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (first === undefined) return by;
  const inner = withValue((value as Record<string | number, unknown>)[first], rest, by);
  if (Array.isArray(value)) return value.with(Number(first), inner);
  return { ...(value as object), [first]: inner };
}

/** A syntax tree as text, without places and the values of constants; a text that equals the first of `swapped` is the second. */
export function skeleton(ast: unknown, [text, instead]: readonly [unknown?, unknown?] = []): string {
  const shape = (value: unknown, name = ''): unknown => {
    if (text !== undefined && value === text) return instead;
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value)) {
      if ((value as { class?: unknown }).class === 'CONSTANT') return 'constant';
      const kept = Object.entries(value).filter(([key]) => key !== 'query_location');
      return Object.fromEntries(kept.map(([key, one]) => [key, shape(one, key)]));
    }
    const items = value.map((one) => JSON.stringify(shape(one)));
    // The parser keeps the names that a star leaves out as a set, in no order.
    return name.endsWith('exclude_list') ? items.sort() : items;
  };
  return JSON.stringify(shape(ast));
}
