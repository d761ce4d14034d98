import { fold, isNode, readStatement, textOf, textsOf } from './ast.ts';

/**
 * Functions and keywords that read a clock; `age` does with one argument, `run_started_at` is a macro of our sessions. The
 * engine calls some of them consistent.
 */
export const CLOCK: ReadonlySet<string> = new Set([
  ...['ago', 'age', 'current_date', 'current_localtime', 'current_localtimestamp', 'current_time', 'current_timestamp'],
  ...['get_current_time', 'get_current_timestamp', 'localtime', 'localtimestamp', 'now', 'today'],
  ...['run_started_at', 'transaction_timestamp'],
]);
/** Functions that give another value at each call. `error` ends a statement and gives none. */
export const CHANCE: ReadonlySet<string> = new Set(['gen_random_uuid', 'random', 'uuid', 'uuidv4', 'uuidv7']);

/** Names by which the result of a statement depends on more than its inputs, folded, once each. */
export interface Volatile {
  readonly clock: readonly string[];
  readonly chance: readonly string[];
}

/** What a statement calls that is not the same in the next run. A column without qualifier that is called as a keyword of the clock counts as one. */
export function volatileOf(ast: unknown): Volatile {
  const statement = readStatement(ast);
  const names = 'fault' in statement ? [] : calledIn(statement.query);
  const among = (known: ReadonlySet<string>) => [...new Set(names)].filter((name) => known.has(name)).sort();
  return { clock: among(CLOCK), chance: among(CHANCE) };
}

function calledIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(calledIn);
  if (!isNode(value)) return [];
  return [...calledAt(value), ...Object.values(value).flatMap(calledIn)];
}

function calledAt(node: Parameters<typeof textOf>[0]): string[] {
  const called = fold(textOf(node, 'function_name') ?? '');
  if (called === 'age' && Array.isArray(node.children) && node.children.length > 1) return [];
  if (called !== '') return [called];
  const column = node.class === 'COLUMN_REF' ? textsOf(node, 'column_names') : [];
  return column.length === 1 ? column.map(fold) : [];
}
