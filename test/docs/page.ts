import { anchorOf } from './reference/markdown.ts';

/** A fenced block: language, the rest of its first line, and its text. */
export interface Block {
  lang: string;
  info: string;
  text: string;
  /** Of its first line, from 1. */
  line: number;
}

/** A link; its title is what the page it leads to must hold, such as the name of a test. */
export interface Link {
  target: string;
  title: string | undefined;
  line: number;
}

/** A Markdown page as far as the checks look at it. */
export interface Page {
  /** Path from the root of the checkout. */
  file: string;
  anchors: ReadonlySet<string>;
  links: readonly Link[];
  blocks: readonly Block[];
  /** Whether its commands disturb those of other pages, as a comment at its top says. */
  alone: boolean;
}

const FENCE = /^(`{3,})([\w-]*) ?(.*)$/;
const HEADING = /^#{1,6} (.+)$/;
const LINK = /!?\[(?:[^\][]|\[[^\]]*\])*\]\(([^()\s]+)(?: "([^"]+)")?\)/g;

/** Reads headings, links and fenced blocks; what stands in code is no link. */
export function readPage(file: string, text: string): Page {
  const anchors = new Map<string, number>();
  const links: Link[] = [];
  const blocks: Block[] = [];
  let open: (Block & { fence: string; lines: string[] }) | undefined;
  for (const [i, line] of text.split('\n').entries()) {
    const [, fence = '', lang = '', info = ''] = FENCE.exec(line) ?? [];
    if (open !== undefined) {
      if (line !== open.fence) open.lines.push(line);
      else {
        blocks.push({ lang: open.lang, info: open.info, line: open.line, text: open.lines.join('\n') });
        open = undefined;
      }
      continue;
    }
    if (fence !== '') {
      open = { fence, lang, info, line: i + 1, text: '', lines: [] };
      continue;
    }
    const [, heading] = HEADING.exec(line) ?? [];
    if (heading !== undefined) addAnchor(anchors, anchorOf(heading.replaceAll('`', '')));
    for (const [, target = '', title] of line.replaceAll(/`[^`]*`/g, '``').matchAll(LINK)) {
      links.push({ target, title, line: i + 1 });
    }
  }
  if (open !== undefined) throw new Error(`${file}:${open.line}: the block does not end`);
  const names = new Set([...anchors].flatMap(([name, count]) => numbered(name, count)));
  return { file, anchors: names, links, blocks, alone: text.startsWith('<!-- run alone:') };
}

function addAnchor(anchors: Map<string, number>, name: string): void {
  anchors.set(name, (anchors.get(name) ?? 0) + 1);
}

/** A heading that occurs again gets a number behind its anchor. */
function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? name : `${name}-${i}`));
}
