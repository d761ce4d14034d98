import { getDatasetSchema, isReserved, previewDataset, schemaChanges } from '@weir/plugin-datasets/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { condense, sparkline } from '../../output/sparkline.ts';
import { plainText } from '../../plain-text.ts';

const CHART_WIDTH = 60;

/** Rows of a dataset, as a table or as a chart of one column over another. */
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
      [
        'The wettest days of a year, three columns of them',
        'weir datasets preview bronze.demo.vega__seattle_weather --columns date,precipitation,weather --filter date:ge:2015-01-01 --order=-precipitation',
      ],
    ],
  });

  dataset = Option.String({ name: 'dataset_id' });
  columns = Option.Array('--columns', { description: 'Names of columns, joined by commas or repeated' });
  filter = Option.Array('--filter', {
    description:
      'column:op:value; op is eq, ne, lt, le, gt, ge, contains, starts_with, is_null or not_null; repeatable',
  });
  order = Option.String('--order', { description: 'Column to order by; --order=-column for descending' });
  limit = Option.String('--limit', { description: 'How many rows at most' });
  pageToken = Option.String('--page-token', { description: 'Continue where the page before ended' });
  snapshot = Option.String('--snapshot', { description: 'Read this snapshot instead of the newest' });
  chart = Option.String('--chart', { description: 'x,y: draw column y over column x instead of the rows' });

  async execute(): Promise<number> {
    const api = await this.api();
    const found = await api.call(previewDataset, {
      params: { dataset_id: this.dataset },
      query: {
        ...(this.columns === undefined ? {} : { columns: this.columns }),
        ...(this.filter === undefined ? {} : { filter: this.filter }),
        ...(this.order === undefined ? {} : { order: this.order }),
        ...(this.pageToken === undefined ? {} : { page_token: this.pageToken }),
        ...(this.limit === undefined ? {} : { limit: this.limit as unknown as number }),
        ...(this.snapshot === undefined ? {} : { snapshot_id: this.snapshot }),
      },
    });
    const rows = rowsOf(found);
    const isAll = this.format() !== 'table' || this.columns !== undefined;
    if (this.chart !== undefined) this.context.stdout.write(plainText(chartText(rows, this.chart)));
    else if (this.format() === 'json' || this.format() === 'yaml') await this.show(found);
    else await this.show(rows, { columns: shownColumns(found.columns, isAll), isData: true, types: typesOf(found) });
    if (this.chart === undefined) this.noteMore(found.next_page_token);
    else if (found.next_page_token) this.note(`drawn: the first ${rows.length} rows; --limit draws more`);
    return 0;
  }
}

const typesOf = ({ columns }: { columns: readonly { name: string; type: string }[] }) =>
  Object.fromEntries(columns.map(({ name, type }) => [name, type]));

/** Own columns of the dataset; those that Weir adds come behind them with `-o wide`, and where they were asked for. */
function shownColumns(columns: readonly { name: string }[], isAll: boolean): string[] {
  const names = columns.map(({ name }) => name);
  return isAll ? names : names.filter((name) => !isReserved(name));
}

const SCHEMA_COLUMNS = ['id', 'name', 'type', 'required'];
const CHANGE_COLUMNS = ['change', 'field_id', 'path', 'from', 'to'];
/** Schema ids count from 0, snapshot ids are random numbers of 63 bits. */
const SCHEMA_ID_DIGITS = 9;

/** The fields of a dataset, now or as they were, or what differs between two versions. */
export class DatasetsSchema extends WeirCommand {
  static override paths = [['datasets', 'schema']];
  static override usage = Command.Usage({
    category: 'Datasets',
    description: getDatasetSchema.summary,
    examples: [
      ['What changed between two versions', 'weir datasets schema bronze.demo.vega__seattle_weather --diff 0,1'],
    ],
  });

  dataset = Option.String({ name: 'dataset_id' });
  snapshot = Option.String('--snapshot', { description: 'The schema with which this snapshot was written' });
  schemaId = Option.String('--schema-id', { description: 'This version; datasets schema-history lists them' });
  diff = Option.String('--diff', {
    description: `a,b: what makes b out of a; schema ids, or snapshot ids of more than ${SCHEMA_ID_DIGITS} digits`,
  });

  async execute(): Promise<number> {
    const api = await this.api();
    const read = (query: { snapshot_id?: string; schema_id?: number }) =>
      api.call(getDatasetSchema, { params: { dataset_id: this.dataset }, query });
    if (this.diff !== undefined) {
      const [before, after] = await Promise.all(versionsOf(this.diff).map(read));
      const items = schemaChanges(before?.fields ?? [], after?.fields ?? []);
      const ends = { from_schema_id: before?.schema_id, to_schema_id: after?.schema_id };
      await this.show({ dataset_id: this.dataset, ...ends, items }, { columns: CHANGE_COLUMNS });
      if (items.length === 0) this.note('no difference');
      return 0;
    }
    const found = await read({
      ...(this.snapshot === undefined ? {} : { snapshot_id: this.snapshot }),
      ...(this.schemaId === undefined ? {} : { schema_id: this.schemaId as unknown as number }),
    });
    if (this.format() === 'json' || this.format() === 'yaml') await this.show(found);
    else await this.show(indented(found.fields), { columns: SCHEMA_COLUMNS });
    return 0;
  }
}

/** What the two sides of a comparison name. */
function versionsOf(diff: string): { snapshot_id?: string; schema_id?: number }[] {
  const sides = diff.split(',');
  if (sides.length !== 2 || !sides.every((side) => /^\d{1,19}$/.test(side))) {
    throw new CliError('usage', '--diff takes two schema ids or snapshot ids: a,b.');
  }
  return sides.map((side) => (side.length > SCHEMA_ID_DIGITS ? { snapshot_id: side } : { schema_id: Number(side) }));
}

/** Fields with the names of nested ones set in by their depth. */
function indented(
  fields: readonly { id: number; parent_id: number | null; name: string }[],
): Record<string, unknown>[] {
  const depths = new Map<number, number>();
  return fields.map((field) => {
    const depth = field.parent_id === null ? 0 : (depths.get(field.parent_id) ?? 0) + 1;
    depths.set(field.id, depth);
    return { ...field, name: `${'  '.repeat(depth)}${field.name}` };
  });
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
