import { useElementSize } from '@mantine/hooks';
import { type CSSProperties, Fragment, type ReactNode, useId, useMemo } from 'react';
import { WideBox } from '../parts/wide-box.tsx';
import { type GraphEdge, type GraphNode, NODE, type PlacedEdge, placed } from './layout.ts';
import './graph.css';

/** A graph that is wider than its place is drawn smaller, down to this; then it scrolls. */
const SMALLEST = 0.7;

export interface GraphProps<N extends GraphNode, E extends GraphEdge> {
  graph: { nodes: readonly N[]; edges: readonly E[] };
  label: string;
  /** The box of a node, at its place. */
  node(node: N, style: CSSProperties): ReactNode;
  /** What is written on an arrow. Readers hear of it elsewhere. */
  edge?(edge: E): ReactNode;
}

/** Boxes and the arrows between them, from left to right. */
export function GraphCanvas<N extends GraphNode, E extends GraphEdge>(props: GraphProps<N, E>) {
  const { graph, label, node, edge } = props;
  const { ref, width: room } = useElementSize();
  const { width, height, nodes, edges } = useMemo(() => placed(graph), [graph]);
  const scale = room === 0 ? 1 : Math.max(SMALLEST, Math.min(1, room / width));
  return (
    <div ref={ref}>
      <WideBox label={label}>
        <div style={{ width: width * scale, height: height * scale }}>
          <div className="relation-space" style={{ width, height, transform: `scale(${scale})` }}>
            <Lines width={width} height={height} edges={edges} />
            {edge === undefined
              ? null
              : edges.map(({ edge: one, label: at, labelWidth }) => (
                  <span
                    key={`${one.from} ${one.code}`}
                    className="relation-label"
                    aria-hidden="true"
                    title={one.code}
                    style={{ left: at.x, top: at.y, maxWidth: labelWidth }}
                  >
                    {edge(one)}
                  </span>
                ))}
            {nodes.map(({ node: one, x, y }) => (
              <Fragment key={one.code}>
                {node(one, { left: x, top: y, width: NODE.width, height: NODE.height })}
              </Fragment>
            ))}
          </div>
        </div>
      </WideBox>
    </div>
  );
}

function Lines({ width, height, edges }: { width: number; height: number; edges: readonly PlacedEdge[] }) {
  const arrow = useId();
  return (
    <svg width={width} height={height} aria-hidden="true">
      <defs>
        <marker id={arrow} viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path d="M 0 0 L 8 4 L 0 8 z" className="relation-arrow" />
        </marker>
      </defs>
      {edges.map(({ edge, path }) => (
        <path
          key={`${edge.from} ${edge.code} ${edge.to}`}
          d={path}
          className="relation-line"
          markerEnd={`url(#${arrow})`}
        />
      ))}
    </svg>
  );
}
