import { LakehouseError } from '../error/error.ts';
import type { PartitionValues } from '../partition/partition-spec.ts';
import { encodeBound } from '../schema/bounds.ts';
import { type FieldType, innerFields, type TableSchema } from '../schema/types.ts';
import { toLocation } from '../store/fileio.ts';

/** Per-column figures, keyed by field id. */
export type ColumnFigures = Readonly<Record<string, string>>;

/**
 * A data or delete file that was written and is not yet part of a table. It survives JSON: 64-bit integers are decimal strings,
 * bounds are base64 of the single-value encoding.
 */
export type StagedFile = {
  readonly location: string;
  readonly record_count: string;
  readonly file_size_in_bytes: string;
  readonly column_sizes: ColumnFigures;
  readonly value_counts: ColumnFigures;
  readonly null_value_counts: ColumnFigures;
  readonly lower_bounds: ColumnFigures;
  readonly upper_bounds: ColumnFigures;
  /** What the file holds: rows, or the positions of rows that are deleted. Absent: rows. */
  readonly content?: 'data' | 'position_deletes';
  readonly nan_value_counts?: ColumnFigures;
  /** The spec that the file was written under. Absent: the table's default spec, which then divides nothing. */
  readonly spec_id?: number;
  /** What all rows of the file have in common, one value for every field of its spec. */
  readonly partition?: PartitionValues;
  /** The data file in which all rows of a position delete file lie, if it is one. */
  readonly referenced_data_file?: string;
};

/** One row that DuckDB's `COPY ... RETURN_STATS` answers, in its JSON form. */
export type CopyStats = {
  readonly filename: string;
  readonly count: string;
  readonly file_size_bytes: string;
  readonly column_statistics: readonly {
    readonly key: string;
    readonly value: readonly { readonly key: string; readonly value: string | null }[];
  }[];
};

const step = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The leaf columns of a schema by the quoted path under which the statistics name them. */
export function leaves(schema: TableSchema): Map<string, { id: number; type: FieldType }> {
  const found = new Map<string, { id: number; type: FieldType }>();
  const visit = (path: string, id: number, type: FieldType): void => {
    if (typeof type === 'string') found.set(path, { id, type });
    else for (const field of innerFields(type)) visit(`${path}.${step(field.name)}`, field.id, field.type);
  };
  for (const field of schema.fields) visit(step(field.name), field.id, field.type);
  return found;
}

/** The figures of one column by name, such as `null_count` of `"a"."b"`; undefined when the writer gave none. */
export function columnStatistic(stats: CopyStats, path: readonly string[], figure: string): string | undefined {
  const key = path.map(step).join('.');
  const column = stats.column_statistics.find((one) => one.key === key);
  return column?.value.find((one) => one.key === figure)?.value ?? undefined;
}

/** The staged file that a COPY wrote. A column with NaN gets no bounds, as the writer leaves NaN out of them. */
export function stagedFileFromStats(stats: CopyStats, schema: TableSchema): StagedFile {
  const columns = leaves(schema);
  const figures = { sizes: [], values: [], nulls: [], nans: [], lower: [], upper: [] } as Record<
    string,
    [string, string][]
  >;
  const put = (kind: string, id: number, text: string | undefined): void => {
    if (text !== undefined) figures[kind]!.push([String(id), text]);
  };
  for (const { key, value } of stats.column_statistics) {
    const column = columns.get(key);
    if (!column) throw new LakehouseError('stage_failed', 'A written file has a column that its schema does not name');
    const of = new Map(value.map((one) => [one.key, one.value ?? undefined]));
    put('sizes', column.id, of.get('column_size_bytes'));
    put('values', column.id, of.get('num_values'));
    put('nulls', column.id, of.get('null_count'));
    // The writer says whether there is a NaN, not how many.
    put('nans', column.id, of.get('has_nan') === 'false' ? '0' : undefined);
    if (of.get('has_nan') === 'true') continue;
    const bound = (side: 'lower' | 'upper', text: string | undefined) =>
      text === undefined ? undefined : encodeBound(column.type, text, side)?.toString('base64');
    put('lower', column.id, bound('lower', of.get('min')));
    put('upper', column.id, bound('upper', of.get('max')));
  }
  return {
    location: toLocation(stats.filename),
    record_count: stats.count,
    file_size_in_bytes: stats.file_size_bytes,
    column_sizes: Object.fromEntries(figures.sizes!),
    value_counts: Object.fromEntries(figures.values!),
    null_value_counts: Object.fromEntries(figures.nulls!),
    nan_value_counts: Object.fromEntries(figures.nans!),
    lower_bounds: Object.fromEntries(figures.lower!),
    upper_bounds: Object.fromEntries(figures.upper!),
  };
}
