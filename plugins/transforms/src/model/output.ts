import { datasetProblems } from '@weir/plugin-datasets/contract';
import { transformProblems } from '../contract.ts';

const OUTPUT_LAYERS: readonly string[] = ['silver', 'gold'];
const MAX_SEGMENT_CHARS = 200;
const SEGMENT = new RegExp(`^[A-Za-z0-9_]{1,${MAX_SEGMENT_CHARS}}$`);

/** A dataset id as a table reference. Throws `invalid_dataset_id`. */
export function tableRefOf(datasetId: string): { namespace: string; table: string } {
  const [layer = '', scope = '', table = '', ...rest] = datasetId.split('.');
  if (rest.length > 0 || ![layer, scope, table].every((segment) => SEGMENT.test(segment))) {
    throw datasetProblems.invalidDatasetId();
  }
  return { namespace: `${layer}.${scope}`, table };
}

/** The id of a table that a transform of the tenant may write, as statements know it. Throws what `outputRef` throws. */
export function outputId(scope: string, asked: string): string {
  const id = asked.toLowerCase();
  outputRef(scope, id);
  return id;
}

/** The table that a transform of the tenant may write. Throws `invalid_dataset_id` and `output_refused`. */
export function outputRef(scope: string, datasetId: string): { namespace: string; table: string } {
  const ref = tableRefOf(datasetId);
  if (!OUTPUT_LAYERS.some((layer) => ref.namespace === `${layer}.${scope}`))
    throw transformProblems.outputRefused({
      hint: `Set \`output\` to a table of your tenant, such as \`gold.${scope}.orders\`.`,
    });
  return ref;
}
