import { Graph, layout } from '@dagrejs/dagre';

/** Pixels of a node, the same for each. */
export const NODE = { width: 200, height: 56 };
const LABEL_PX = { letter: 6.6, most: 130, height: 18 };
const GAPS_PX = { node: 22, edge: 12, rank: 44, margin: 24 };
/** Height of the loop above a type that leads to itself. */
const LOOP_PX = 26;

/** What is drawn as a box. */
export interface GraphNode {
  code: string;
}
/** An arrow from one box to another, or to itself; its code is written on it, where it has one. */
export interface GraphEdge {
  from: string;
  code: string;
  to: string;
}

interface Point {
  x: number;
  y: number;
}
export interface PlacedNode<N extends GraphNode = GraphNode> extends Point {
  node: N;
}
/** `path` is SVG, `label` the middle of its words. */
export interface PlacedEdge<E extends GraphEdge = GraphEdge> {
  edge: E;
  path: string;
  label: Point;
  labelWidth: number;
}
interface Placed<N extends GraphNode, E extends GraphEdge> {
  width: number;
  height: number;
  nodes: readonly PlacedNode<N>[];
  edges: readonly PlacedEdge<E>[];
}

/** The library loses an edge whose name is empty. */
const nameOf = ({ code }: GraphEdge) => (code === '' ? 'next' : code);
const labelWidth = ({ code }: GraphEdge) =>
  code === '' ? 0 : Math.min(LABEL_PX.most, Math.ceil((code.length + 2) * LABEL_PX.letter) + 8);

/** Where boxes and arrows are drawn, from left to right; the same for the same graph. */
export function placed<N extends GraphNode, E extends GraphEdge>({
  nodes,
  edges,
}: {
  nodes: readonly N[];
  edges: readonly E[];
}): Placed<N, E> {
  const graph = new Graph<object, { x: number; y: number }, { x: number; y: number; points: Point[] }>({
    multigraph: true,
  });
  const { node, edge, rank, margin } = GAPS_PX;
  graph.setGraph({ rankdir: 'LR', nodesep: node, edgesep: edge, ranksep: rank, marginx: margin, marginy: margin });
  const loops = Map.groupBy(
    edges.filter(({ from, to }) => from === to),
    ({ from }) => from,
  );
  for (const { code } of nodes) graph.setNode(code, roomOf(loops.get(code)?.length ?? 0) as never);
  const others = edges.filter(({ from, to }) => from !== to);
  for (const one of others) {
    const size = { width: labelWidth(one), height: LABEL_PX.height, labelpos: 'c' };
    graph.setEdge(one.from, one.to, size as never, nameOf(one));
  }
  layout(graph);
  const places = new Map(nodes.map(({ code }) => [code, graph.node(code)]));
  const shown = nodes.map((one) => ({ node: one, x: places.get(one.code)?.x ?? 0, y: places.get(one.code)?.y ?? 0 }));
  const drawn = others.map((one): PlacedEdge<E> => {
    const { points, x, y } = graph.edge(one.from, one.to, nameOf(one));
    return { edge: one, path: smooth(points), label: { x, y }, labelWidth: labelWidth(one) };
  });
  const circles = [...loops].flatMap(([code, own]) =>
    own.map((one, at) => loop(one, places.get(code) ?? { x: 0, y: 0 }, at)),
  );
  const { width = 0 } = graph.graph() as { width?: number };
  const lowest = Math.max(
    ...shown.map(({ y }) => y + NODE.height / 2),
    ...others.flatMap((one) =>
      graph.edge(one.from, one.to, nameOf(one)).points.map(({ y }: Point) => y + LABEL_PX.height / 2),
    ),
  );
  const height = nodes.length === 0 ? 0 : lowest + margin;
  return { width: Math.ceil(width), height: Math.ceil(height), nodes: shown, edges: [...drawn, ...circles] };
}

/** Of a box that leads to itself as much room above and below as its loops take, so that no other line crosses them. */
const roomOf = (loops: number) => ({
  width: NODE.width,
  height: NODE.height + (loops === 0 ? 0 : 2 * (LOOP_PX + loops * LABEL_PX.height)),
});

/** A line through points, round at each of them. */
function smooth(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const last = rest.at(-1);
  const bends = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? point;
    return `Q ${text(point)} ${text({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`;
  });
  return [`M ${text(first)}`, ...bends, ...(last === undefined ? [] : [`L ${text(last)}`])].join(' ');
}

/** The way from a box to itself; several are above each other. */
function loop<E extends GraphEdge>(edge: E, { x, y }: Point, at: number): PlacedEdge<E> {
  const top = y - NODE.height / 2;
  const rise = LOOP_PX + at * LABEL_PX.height;
  const [left, right] = [x - NODE.width / 4, x + NODE.width / 4];
  const path = `M ${text({ x: right, y: top })} C ${text({ x: right, y: top - rise })} ${text({ x: left, y: top - rise })} ${text({ x: left, y: top })}`;
  return { edge, path, label: { x, y: top - rise * (3 / 4) }, labelWidth: labelWidth(edge) };
}

const text = ({ x, y }: Point) => `${x.toFixed(1)},${y.toFixed(1)}`;
