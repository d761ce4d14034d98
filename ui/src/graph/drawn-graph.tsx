import { lazy, Suspense } from 'react';
import { Later } from '../parts/region.tsx';
import type { GraphProps } from './graph-canvas.tsx';
import type { GraphEdge, GraphNode } from './layout.ts';

/** The layout of graphs is much script, which pages without one do not wait for. */
const GraphCanvas = lazy(() => import('./graph-canvas.tsx').then((module) => ({ default: module.GraphCanvas })));

/** Boxes and the arrows between them, from left to right. */
export function DrawnGraph<N extends GraphNode, E extends GraphEdge>(props: GraphProps<N, E>) {
  return (
    <Suspense fallback={<Later />}>
      <GraphCanvas {...(props as unknown as GraphProps<GraphNode, GraphEdge>)} />
    </Suspense>
  );
}
