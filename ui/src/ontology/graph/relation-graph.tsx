import { useElementSize } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useId, useMemo } from 'react';
import { counted } from '../../parts/numbers.ts';
import { WideBox } from '../../parts/wide-box.tsx';
import { STATUS_WORDS } from '../status-word.tsx';
import { NODE, type PlacedEdge, type PlacedNode, placed } from './layout.ts';
import type { Relations } from './relations.ts';
import './graph.css';

/** A graph that is wider than its place is drawn smaller, down to this; then it scrolls. */
const SMALLEST = 0.7;

interface RelationGraphProps {
  relations: Relations;
  /** The type in the middle of what is shown. */
  here?: string | undefined;
  label: string;
}

/** Types as boxes and their relations as arrows; each box leads to its type. */
export function RelationGraph({ relations, here, label }: RelationGraphProps) {
  const { ref, width: room } = useElementSize();
  const { width, height, nodes, edges } = useMemo(() => placed(relations), [relations]);
  const scale = room === 0 ? 1 : Math.max(SMALLEST, Math.min(1, room / width));
  return (
    <div ref={ref}>
      <WideBox label={label}>
        <div style={{ width: width * scale, height: height * scale }}>
          <div className="relation-space" style={{ width, height, transform: `scale(${scale})` }}>
            <Lines width={width} height={height} edges={edges} />
            {edges.map((one) => (
              <Label key={`${one.edge.from} ${one.edge.code}`} {...one} />
            ))}
            {nodes.map((one) => (
              <Node key={one.node.code} isHere={one.node.code === here} {...one} />
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
        <path key={`${edge.from} ${edge.code}`} d={path} className="relation-line" markerEnd={`url(#${arrow})`} />
      ))}
    </svg>
  );
}

/** Readers hear of relations in the list of them. */
function Label({ edge: { code, cardinality }, label, labelWidth }: PlacedEdge) {
  return (
    <span
      className="relation-label"
      aria-hidden="true"
      title={code}
      style={{ left: label.x, top: label.y, maxWidth: labelWidth }}
    >
      {code}
      {cardinality === 'many' ? ' ∗' : ''}
    </span>
  );
}

function Node({ node: { code, type }, x, y, isHere }: PlacedNode & { isHere: boolean }) {
  const style = { left: x, top: y, width: NODE.width, height: NODE.height };
  if (type === undefined)
    return (
      <span className="relation-node" data-missing style={style} title={code}>
        <span className="relation-name">{code}</span>
        <span className="relation-facts">not declared</span>
      </span>
    );
  const facts = [counted(type.properties_count, 'property', 'properties')];
  if (type.status !== 'active') facts.push(STATUS_WORDS[type.status]);
  if (type.name !== code) facts.unshift(code);
  return (
    <Link
      to="/ontology/types/$code"
      params={{ code }}
      className="relation-node"
      data-row
      data-here={isHere}
      style={style}
      title={`${type.name} (${code})`}
    >
      <span className="relation-name">{type.name}</span>
      <span className="relation-facts">{facts.join(' · ')}</span>
    </Link>
  );
}
