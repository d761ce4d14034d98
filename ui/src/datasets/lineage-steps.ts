/** What a hydrated transform reads and writes. */
export interface LineageEdge {
  transformId: string;
  name: string;
  inputs: readonly string[];
  output: string;
}

/** A table that is some transforms away from another one, and the transform of the last step. */
export interface LineageStep {
  datasetId: string;
  via: LineageEdge;
}

export type LineageSide = 'before' | 'after';

/** The tables before or behind one, by how many transforms are between; each where it is nearest. */
export function lineageSteps(
  datasetId: string,
  edges: readonly LineageEdge[],
  { side, depth }: { side: LineageSide; depth: number },
): LineageStep[][] {
  const seen = new Set([datasetId]);
  const steps: LineageStep[][] = [];
  for (let near = [datasetId]; near.length > 0 && steps.length < depth; near = (steps.at(-1) ?? []).map(idOf)) {
    const next = near.flatMap((one) => neighbours(one, edges, side)).filter(({ datasetId: id }) => isNew(seen, id));
    if (next.length === 0) break;
    steps.push(next);
  }
  return steps;
}

const idOf = ({ datasetId }: LineageStep) => datasetId;

function isNew(seen: Set<string>, id: string): boolean {
  const isKnown = seen.has(id);
  seen.add(id);
  return !isKnown;
}

function neighbours(datasetId: string, edges: readonly LineageEdge[], side: LineageSide): LineageStep[] {
  return edges.flatMap((via) => {
    if (side === 'after') return via.inputs.includes(datasetId) ? [{ datasetId: via.output, via }] : [];
    return via.output === datasetId ? via.inputs.map((input) => ({ datasetId: input, via })) : [];
  });
}
