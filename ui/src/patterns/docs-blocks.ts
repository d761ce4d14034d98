/** A part of a page in Markdown; `at` is the line that it begins in. */
export type DocsBlock = { at: number } & (
  | { kind: 'title' | 'text' | 'code'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'table'; head: string[]; rows: string[][] }
);

const FENCE = /^```/;
const TITLE = /^#{1,6}\s+/;
const ITEM = /^[-*]\s+/;
const RULE = /^[\s|:-]+$/;

/**
 * Reads the Markdown that pages of packages are made of: titles, paragraphs, lists, tables and code. Its first title is
 * that of the pattern, which the page has already.
 */
export function blocksOf(text: string): DocsBlock[] {
  const lines = text.split('\n');
  const blocks: DocsBlock[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at += 1;
      continue;
    }
    const end = endOf(lines, at);
    const block = blockOf(lines.slice(at, end), at);
    if (at > 0 || block.kind !== 'title') blocks.push(block);
    at = end;
  }
  return blocks;
}

/** The first line behind the block that begins at a line. */
function endOf(lines: readonly string[], at: number): number {
  const first = lines[at] ?? '';
  if (TITLE.test(first)) return at + 1;
  const isFenced = FENCE.test(first);
  const end = lines.findIndex((line, i) => i > at && (isFenced ? FENCE.test(line) : line.trim() === ''));
  if (end < 0) return lines.length;
  return isFenced ? end + 1 : end;
}

function blockOf(lines: readonly string[], at: number): DocsBlock {
  const [first = ''] = lines;
  if (TITLE.test(first)) return { at, kind: 'title', text: first.replace(TITLE, '') };
  if (FENCE.test(first)) return { at, kind: 'code', text: lines.slice(1, -1).join('\n') };
  if (ITEM.test(first)) return { at, kind: 'list', items: itemsOf(lines) };
  if (first.startsWith('|')) {
    const [head = [], ...rows] = lines.filter((line) => !RULE.test(line)).map(cellsOf);
    return { at, kind: 'table', head, rows };
  }
  return { at, kind: 'text', text: lines.join(' ') };
}

/** A line that begins no item goes on with the last one. */
const itemsOf = (lines: readonly string[]): string[] =>
  lines
    .join('\n')
    .split(/\n(?=[-*]\s)/)
    .map((item) => item.replace(ITEM, '').replaceAll(/\n\s*/g, ' '));

const cellsOf = (line: string): string[] =>
  line
    .replaceAll(/^\||\|\s*$/g, '')
    .split('|')
    .map((cell) => cell.trim());

interface Span {
  at: number;
  kind: 'text' | 'code' | 'strong';
  text: string;
}

/** Words, code between backticks and words between two stars; a link is its words. */
export function spansOf(text: string): Span[] {
  const plain = text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  return [...plain.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|[^`*]+|[`*]/g)].map((match) => {
    const [whole, code, strong] = match;
    if (code !== undefined) return { at: match.index, kind: 'code', text: code };
    return { at: match.index, kind: strong === undefined ? 'text' : 'strong', text: strong ?? whole };
  });
}
