import type { RunReason, TransformRunView } from '@weir/plugin-transforms/contract';
import { counted } from '../parts/numbers.ts';

/** Reasons for which all rows were read, though only new ones are asked for, among the others. */
const WORDS: Readonly<Record<RunReason, string>> = {
  first: 'First run',
  input_moved: 'New rows in an input',
  definition_changed: 'The definition changed',
  forced: 'Forced',
  full_asked: 'All rows were asked for',
  other_input_moved: 'Another input changed, so all rows were read',
  input_overwritten: 'The input was overwritten, so all rows were read',
  input_rows_changed: 'Rows of the input changed, so all rows were read',
  input_rolled_back: 'The input was rolled back, so all rows were read',
  input_expired: 'The last read snapshot has expired, so all rows were read',
  columns_changed: 'The columns changed, so all rows were read',
  output_moved: 'The output was changed by something else, so it was made again',
  clock: 'The statement reads the clock',
  backfill: 'Some partitions were asked for',
};

/** Why a run of a transform did its work, or did none. */
export function reasonText({ reason, status, moved_inputs: moved }: TransformRunView): string {
  if (status === 'skipped') return 'Nothing had changed';
  if (reason === 'input_moved')
    return moved.length === 1 ? `New rows in ${moved[0]}` : `New rows in ${counted(moved.length, 'input')}`;
  return reason === null ? '–' : WORDS[reason];
}
