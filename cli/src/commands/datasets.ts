import { getDataset, listDatasetSnapshots, listDatasets, previewDataset } from '@weir/plugin-datasets/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../cli-error.ts';
import { WeirCommand } from '../command.ts';
import { endpointCommand } from '../endpoint/endpoint-command.ts';
import { condense, sparkline } from '../output/sparkline.ts';

export const DatasetsList = endpointCommand(listDatasets, {
  columns: ['dataset_id', 'total_records', 'total_bytes', 'columns_count', 'updated_at', 'snapshot_id'],
});
export const DatasetsGet = endpointCommand(getDataset);
export const DatasetsSnapshots = endpointCommand(listDatasetSnapshots, {
  columns: ['snapshot_id', 'committed_at', 'operation', 'added_records', 'deleted_records', 'total_records', 'run_id'],
});

const CHART_WIDTH = 60;

/** First rows of a dataset, as a table or as a chart of one column over another. */
export class DatasetsPreview extends WeirCommand {
  static override paths = [['datasets', 'preview']];
  static override usage = Command.Usage({
    category: 'Datasets',
    description: previewDataset.summary,
    examples: [
      [
        'A chart of one column over another',
        'weir datasets preview bronze.demo.vega__seattle_weather --chart date,temp_max',
      ],
    ],
  });

  dataset = Option.String({ name: 'dataset_id' });
  limit = Option.String('--limit', { description: 'How many rows at most' });
  snapshot = Option.String('--snapshot', { description: 'Read this snapshot instead of the newest' });
  chart = Option.String('--chart', { description: 'x,y: draw column y over column x instead of the rows' });

  async execute(): Promise<number> {
    const api = await this.api();
    const found = await api.call(previewDataset, {
      params: { dataset_id: this.dataset },
      query: {
        ...(this.limit === undefined ? {} : { limit: this.limit as unknown as number }),
        ...(this.snapshot === undefined ? {} : { snapshot_id: this.snapshot }),
      },
    });
    const rows = rowsOf(found);
    if (this.chart !== undefined) this.context.stdout.write(chartText(rows, this.chart));
    else if (this.format() === 'json' || this.format() === 'yaml') await this.show(found);
    else await this.show(rows, { columns: found.columns.map((column) => column.name) });
    if (found.has_more && this.format() === 'table')
      this.note(`the first ${rows.length} rows of more; --limit asks for others`);
    return 0;
  }
}

/** The rows of a preview as records by column name. */
export function rowsOf(found: { columns: { name: string }[]; rows: unknown[][] }): Record<string, unknown>[] {
  return found.rows.map((row) => Object.fromEntries(found.columns.map((column, i) => [column.name, row[i]])));
}

/** One line of bars for column y in the order of column x, with both ends; throws on columns that are not there. */
export function chartText(rows: readonly Record<string, unknown>[], axes: string): string {
  const [x, y, ...rest] = axes.split(',');
  if (!x || !y || rest.length > 0) throw new CliError('usage', '--chart takes two column names: x,y.');
  for (const column of [x, y]) {
    if (rows.length > 0 && !Object.hasOwn(rows[0] as object, column)) {
      throw new CliError('usage', 'The dataset has no such column.', {
        hint: `Columns: ${Object.keys(rows[0] ?? {}).join(', ')}`,
      });
    }
  }
  const sorted = rows.toSorted((a, b) => compare(a[x], b[x]));
  const values = condense(sorted.map((row) => Number(row[y] ?? Number.NaN)).filter(Number.isFinite), CHART_WIDTH);
  if (values.length === 0) return `${y}: no numbers\n`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const ends = `${String(sorted[0]?.[x] ?? '')} to ${String(sorted.at(-1)?.[x] ?? '')}`;
  return `${y} ${sparkline(values)} ${rounded(least)} to ${rounded(most)}, ${x} ${ends}\n`;
}

const rounded = (value: number) => String(Math.round(value * 100) / 100);

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a ?? ''), String(b ?? '')];
  return left < right ? -1 : left > right ? 1 : 0;
}
