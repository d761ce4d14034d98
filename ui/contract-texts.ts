import type { Plugin } from 'vite';

/** What a page never reads of the calls that declare: it is for servers, documents and commands. */
const UNREAD: Readonly<Record<string, readonly string[]>> = {
  endpoint: ['summary', 'description', 'example', 'errors', 'cli'],
  problem: ['title', 'detail', 'hint'],
};
const CONTRACT = /\/src\/contract(\.ts|\/)/;

interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

/** Leaves the texts of contracts out of the pages: what an endpoint or a member is for, and which errors it may answer. */
export function withoutContractTexts(): Plugin {
  return {
    name: 'without-contract-texts',
    transform(code, id) {
      if (!CONTRACT.test(id)) return undefined;
      const ranges: Node[] = [];
      collect(this.parse(code) as unknown as Node, ranges);
      let text = code;
      for (const { start, end } of ranges.sort((a, b) => b.start - a.start)) {
        text = `${text.slice(0, start)}${text.slice(end).replace(/^\s*,/, '')}`;
      }
      return { code: text, map: null };
    },
  };
}

/** Adds the members below a node that are left out, none within another. */
function collect(node: Node, ranges: Node[], unread: readonly string[] = []): void {
  if (node.type === 'Property') {
    const name = (node.key as { name?: string }).name ?? '';
    const isText = name === 'description' && isLiteral(node.value as Node);
    if (unread.includes(name) || isText) {
      ranges.push(node);
      return;
    }
  }
  const called = node.type === 'CallExpression' ? UNREAD[(node.callee as { name?: string }).name ?? ''] : undefined;
  for (const child of Object.values(node).flat()) {
    if (typeof (child as Node | null)?.type !== 'string') continue;
    const isOptions = (child as Node).type === 'ObjectExpression' && called !== undefined;
    // The members of an object know whose options they are.
    collect(child as Node, ranges, isOptions ? called : node.type === 'ObjectExpression' ? unread : []);
  }
}

const isLiteral = ({ type, expressions }: Node) =>
  type === 'Literal' || (type === 'TemplateLiteral' && (expressions as unknown[]).length === 0);
