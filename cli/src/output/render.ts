import { CliError } from '../cli-error.ts';
import { escapeUnseen, hasUnseen, plainText } from '../plain-text.ts';
import { csv } from './csv.ts';
import { foldExact } from './fold-exact.ts';
import type { Output } from './formats.ts';
import { recordTable, table } from './table.ts';

export interface RenderOptions {
  output: Output;
  query?: string;
  /** Columns of a table of items; all scalar fields unless given. */
  columns?: readonly string[];
  wide?: readonly string[];
  /** Columns of the terminal; tables fit it but for `-o wide`. */
  width?: number | undefined;
  /** The items are rows of a user, under names of the user. */
  isData?: boolean;
  /** Types by column, shown by `-o wide`. */
  types?: Readonly<Record<string, string>>;
}

/** A result as text in the wanted format, ending in a newline; a list is anything with `items`. */
export async function render(
  value: unknown,
  { output, query, columns, wide, width, isData, types }: RenderOptions,
): Promise<string> {
  const folded = listOf(foldExact(value));
  const chosen = query === undefined ? folded : await search(folded, query);
  const items = itemsOf(chosen);
  if (output === 'json') return `${escapeUnseen(JSON.stringify(chosen ?? null, null, 2))}\n`;
  if (output === 'yaml') return yaml(chosen ?? null);
  if (output === 'ndjson')
    return (items ?? [chosen ?? null]).map((item) => `${escapeUnseen(JSON.stringify(item))}\n`).join('');
  if (output === 'name') return (items ?? [chosen]).map((item) => `${plainText(nameOf(item))}\n`).join('');
  if (items === undefined)
    return isRecord(chosen) ? recordTable(chosen, output === 'wide' ? undefined : width) : `${scalarText(chosen)}\n`;
  if (!items.every(isRecord)) return items.map((item) => `${scalarText(item)}\n`).join('');
  const all = () => [...new Set([...(columns ?? []), ...scalarFields(items)])];
  const own = query === undefined ? (output === 'wide' ? (wide ?? all()) : columns) : undefined;
  const shown = own ?? scalarFields(items);
  if (output === 'csv') return csv(shown, items);
  return table(shown, items, output === 'wide' ? { isData, types } : { width, isData });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function itemsOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const items = isRecord(value) ? value.items : undefined;
  return Array.isArray(items) ? items : undefined;
}

/** A list is `{items}`, with its page token when there is a next page, so that an empty list is `{"items":[]}`. */
function listOf(value: unknown): unknown {
  if (!isRecord(value) || !Array.isArray(value.items)) return value;
  const { next_page_token: token, total, ...rest } = value;
  return {
    ...rest,
    ...(token == null ? {} : { next_page_token: token }),
    ...(total == null || value.items.length === 0 ? {} : { total }),
  };
}

async function search(value: unknown, query: string): Promise<unknown> {
  const { search: find } = await import('jmespath');
  try {
    return find(value, query);
  } catch (cause) {
    throw new CliError(
      'usage',
      `--query is not a JMESPath expression: ${cause instanceof Error ? cause.message : ''}`,
      { cause },
    );
  }
}

const scalarText = (value: unknown) => plainText(typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** YAML in which texts with characters that nobody sees are in double quotes, the only ones with escapes. */
async function yaml(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(value);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && hasUnseen(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeUnseen(document.toString());
}

function scalarFields(items: readonly Record<string, unknown>[]): string[] {
  const fields = new Set<string>();
  for (const item of items) {
    for (const [key, value] of Object.entries(item)) if (value === null || typeof value !== 'object') fields.add(key);
  }
  return [...fields];
}

/** Ids of things that have one name in a tenant, which commands take in their place. */
const NAMED = ['source_id', 'transform_id', 'pipeline_id'];

/** What names a thing in a command line: its name where that is as good as its id, else its first id. */
function nameOf(item: unknown): string {
  if (!isRecord(item)) return scalarText(item);
  const id = Object.entries(item).find(([key, value]) => key.endsWith('_id') && typeof value === 'string');
  if (typeof item.name === 'string' && NAMED.includes(id?.[0] ?? '')) return item.name;
  return String(id?.[1] ?? item.name ?? JSON.stringify(item));
}
