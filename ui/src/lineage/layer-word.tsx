import type { DatasetLayer } from '@weir/plugin-datasets/contract';
import './lineage.css';

/** The layer of a table, as a word with its colour. */
export function LayerWord({ layer }: { layer: DatasetLayer }) {
  return (
    <span className="layer" data-layer={layer}>
      {layer}
    </span>
  );
}
