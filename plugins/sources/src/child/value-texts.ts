import type { WantedColumn } from '../model/process/sync-types.ts';

/** How a connector names the member that holds the text of a value which its column cannot: `at__text` beside `at`. */
const SUFFIX = '__text';

interface Found {
  readonly columns: readonly { readonly name: string; readonly type: unknown }[];
  readonly rowsWithErrors: number;
}

/**
 * The members that are news to a table's schema. The text of a value that its column does not hold, such as an infinity in a
 * time, is none: the source has changed nothing. It stays in `_extra` of its row under every policy. Pure.
 */
export function newMembers(
  unknown: readonly WantedColumn[],
  { columns, rowsWithErrors }: Found,
): readonly WantedColumn[] {
  if (rowsWithErrors === 0) return unknown;
  // What a text column is sent, it holds.
  const texts = new Set(columns.flatMap(({ name, type }) => (type === 'string' ? [] : [`${name}${SUFFIX}`])));
  return unknown.filter(({ name, type }) => type !== 'string' || !texts.has(name));
}
