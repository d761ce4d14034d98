import type { IncrementShape } from '@weir/sql';
import type { DefinitionView, Materialization } from '../contract/transforms.ts';
import { transformProblems } from '../contract.ts';

/** How the result of a statement becomes the rows of a table. */
export interface Materializing {
  materialization: Materialization;
  key: readonly string[];
  partitionBy: readonly string[];
  incremental: string | null | undefined;
}

/** Which materialization has which list of columns. */
const COLUMNS_OF = { key: 'merge', partition_by: 'partition_overwrite' } as const;

/** Throws `materialization_refused` for members that do not go together, whatever the statement is. */
export function assertMaterializing({ materialization, key, partitionBy, incremental }: Materializing): void {
  const errors: { pointer: string; code: string }[] = [];
  for (const [member, columns] of [
    ['key', key],
    ['partition_by', partitionBy],
  ] as const) {
    const isOwn = COLUMNS_OF[member] === materialization;
    if (isOwn && columns.length === 0) errors.push({ pointer: `/${member}`, code: 'required' });
    if (!isOwn && columns.length > 0) errors.push({ pointer: `/${member}`, code: 'not_of_materialization' });
    if (new Set(columns.map(lower)).size < columns.length)
      errors.push({ pointer: `/${member}`, code: 'column_doubled' });
  }
  if (incremental && materialization === 'full')
    errors.push({ pointer: '/incremental', code: 'not_of_materialization' });
  if (errors.length > 0) throw transformProblems.materializationRefused({ errors });
}

/** Throws `materialization_refused` where the result lacks what the definition names, or a column cannot serve. */
export function assertFitting(
  { key, partitionBy, incremental }: Materializing,
  { columns, inputs }: { columns: readonly { name: string; type: unknown }[]; inputs: readonly string[] },
): void {
  const errors = [...columnErrors('key', key, columns), ...columnErrors('partition_by', partitionBy, columns)];
  const isInput = !incremental || inputs.some((id) => lower(id) === lower(incremental));
  if (!isInput) errors.push({ pointer: '/incremental', code: 'not_an_input' });
  if (errors.length > 0) throw transformProblems.materializationRefused({ errors });
}

/** The input of which a run reads what is new, and the columns by which it finds what that changes. */
export function incrementOf({ incremental, key, partitionBy }: Omit<Materializing, 'materialization'>) {
  return incremental ? { input: incremental.split('.'), columns: [...key, ...partitionBy] } : undefined;
}

/** Whether a table is divided by the values of these columns, in whichever order, and by nothing else. */
export function isDividedBy(
  has: readonly { readonly column: string; readonly transform: string }[],
  columns: readonly string[],
): boolean {
  const texts = new Set(has.map(({ column, transform }) => `${transform} ${lower(column)}`));
  return texts.symmetricDifference(new Set(columns.map((column) => `identity ${lower(column)}`))).size === 0;
}

/** Whether a run that is not asked for as full could not write to a table that is divided so. */
export function needsFullRun(
  { partition_by: wanted, incremental }: Pick<DefinitionView, 'partition_by' | 'incremental'>,
  has: Parameters<typeof isDividedBy>[0],
): boolean {
  // With an increment the first run of another definition is full by itself.
  return wanted.length > 0 && incremental === null && !isDividedBy(has, wanted);
}

/** Throws `materialization_refused` where new rows of the input do not tell what changes in the result. */
export function assertIncrement({ materialization }: Materializing, increment: IncrementShape | undefined): void {
  if (increment === undefined) return;
  const isByKey = 'shape' in increment && increment.shape === 'keys' && materialization === 'append';
  const code = 'fault' in increment ? increment.fault : isByKey ? 'increment_not_by_row' : undefined;
  if (code !== undefined)
    throw transformProblems.materializationRefused({ errors: [{ pointer: '/incremental', code }] });
}

/** Types of which two values may differ in bytes and be the same, or have no order. */
const UNFIT: readonly unknown[] = ['float', 'double', 'binary'];

function columnErrors(member: string, names: readonly string[], columns: readonly { name: string; type: unknown }[]) {
  return names.flatMap((name, at) => {
    const found = columns.find((column) => lower(column.name) === lower(name));
    const isFit = typeof found?.type === 'string' && !UNFIT.includes(found.type);
    const code = found === undefined ? 'column_unknown' : 'column_type';
    return isFit ? [] : [{ pointer: `/${member}/${at}`, code }];
  });
}

const lower = (text: string): string => text.toLowerCase();
