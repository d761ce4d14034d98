import { previewDataset } from '@weir/plugin-datasets/contract';
import { CliError } from '../../cli-error.ts';
import type { Api } from '../../connection/api.ts';

/** The rows of a table that are shown. */
export const PREVIEWED_ROWS = 5;
/** What a preview is refused for when its rows are too wide. */
const TOO_WIDE = new Set(['query_timeout', 'preview_too_large']);

/** The first rows of a table; undefined where they are too wide to be shown, which does not undo that they were loaded. */
export async function firstRows(api: Pick<Api, 'call'>, dataset_id: string) {
  try {
    return await api.call(previewDataset, { params: { dataset_id }, query: { limit: PREVIEWED_ROWS } });
  } catch (error) {
    if (error instanceof CliError && TOO_WIDE.has(error.details.code ?? '')) return undefined;
    throw error;
  }
}
