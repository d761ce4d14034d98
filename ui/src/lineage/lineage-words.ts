import type { LineageNodeView, LineageView } from '@weir/plugin-lineage/contract';
import { agoText } from '../parts/show-time.tsx';

const short = new Intl.NumberFormat('en', { notation: 'compact' });

/** A node as it is drawn. */
export interface DrawnNode {
  code: string;
  node: LineageNodeView;
  /** Of a traced column: the columns of this node that it follows from or decides. */
  columns: readonly string[];
}

/** The boxes and arrows of an answer: one arrow where several jobs lead the same way. Pure. */
export function drawnGraph({ nodes, edges, root }: LineageView, column: string | undefined) {
  const columns = column === undefined ? new Map<string, Set<string>>() : columnsByNode(edges, root, column);
  const arrows = new Map(edges.map(({ from, to }) => [`${from}\n${to}`, { from, to, code: '' }]));
  return {
    nodes: nodes.map(
      (node): DrawnNode => ({ code: node.node_id, node, columns: [...(columns.get(node.node_id) ?? [])] }),
    ),
    edges: [...arrows.values()],
  };
}

function columnsByNode(edges: LineageView['edges'], root: string | null, column: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>(root === null ? [] : [[root, new Set([column])]]);
  const add = (node: string, names: readonly string[]) =>
    found.set(node, (found.get(node) ?? new Set()).union(new Set(names)));
  for (const { from, to, columns } of edges) {
    for (const { column: name, sources, influences } of columns ?? []) {
      add(
        from,
        [...sources, ...influences].map((one) => one.column),
      );
      add(to, [name]);
    }
  }
  return found;
}

const KINDS: Readonly<Record<LineageNodeView['kind'], string>> = {
  table: 'table',
  source: 'source',
  entity_type: 'entity type',
};

/** What is written in a box below its name. Pure. */
export function nodeFacts({ node, columns }: DrawnNode, now: Date): string {
  if (columns.length > 0) return columns.join(', ');
  const { kind, readable, total_records: rows, committed_at: at, layer } = node;
  if (!readable) return 'not yours to read';
  if (kind !== 'table') return KINDS[kind];
  const facts = [
    layer ?? '',
    rows === null ? '' : `${short.format(Number(rows))} ${rows === '1' ? 'row' : 'rows'}`,
    at === null ? '' : agoText(new Date(at), now, 'narrow'),
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}

/** What keeps a node from being as it should be, in a word; undefined for one that is. Pure. */
export function troubleOf({
  state,
  last_run: last,
}: LineageNodeView): { tone: 'bad' | 'warn' | 'quiet'; word: string } | undefined {
  if (last?.status === 'failed') return { tone: 'bad', word: 'Failed' };
  if (state === 'behind') return { tone: 'warn', word: 'Behind' };
  return state === 'not_made' ? { tone: 'quiet', word: 'Not made yet' } : undefined;
}
