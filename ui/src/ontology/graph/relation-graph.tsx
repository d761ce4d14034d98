import { Link } from '@tanstack/react-router';
import type { CSSProperties } from 'react';
import { DrawnGraph } from '../../graph/drawn-graph.tsx';
import { counted } from '../../parts/numbers.ts';
import { STATUS_WORDS } from '../status-word.tsx';
import type { RelationNode, Relations } from './relations.ts';

interface RelationGraphProps {
  relations: Relations;
  /** The type in the middle of what is shown. */
  here?: string | undefined;
  label: string;
}

/** Types as boxes and their relations as arrows; each box leads to its type. */
export function RelationGraph({ relations, here, label }: RelationGraphProps) {
  return (
    <DrawnGraph
      graph={relations}
      label={label}
      node={(node, style) => <Node node={node} isHere={node.code === here} style={style} />}
      edge={({ code, cardinality }) => `${code}${cardinality === 'many' ? ' ∗' : ''}`}
    />
  );
}

function Node({ node: { code, type }, style, isHere }: { node: RelationNode; style: CSSProperties; isHere: boolean }) {
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
