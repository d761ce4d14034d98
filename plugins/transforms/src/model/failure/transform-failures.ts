import { filledText, Problem } from '@weir/kernel/contract';
import { type Failure, failures, problemFailure, RunFailed, WORK_FAILURES } from '@weir/work';
import { SelectFailed, type SqlFault, SqlRefused } from '../select/select-errors.ts';
import { TRANSFORM_FAILURES, type TransformFailureCode } from './failure-table.ts';

/** Problems that are the platform's, and pass. */
const PLATFORM_CODES: readonly string[] = [
  ...['dependency_unavailable', 'internal', 'lease_lost', 'shutting_down', 'conflict', 'commit_conflict'],
  ...['store_unavailable', 'store_denied', 'base_moved'],
];
const FAULTS_SHOWN = 5;

/** The translation of errors into the failures of runs of transforms. */
export const transformFailures = failures(readError, { ...WORK_FAILURES, no_lane: TRANSFORM_FAILURES.no_lane });

/** A run ends so: in the words of the table, with our own words and counts in their places. */
export function transformFailed(code: TransformFailureCode, values: Readonly<Record<string, string>> = {}): RunFailed {
  const failure = failureOf(code);
  const detail = filledText(failure.detail, values);
  return new RunFailed({ ...failure, detail });
}

const failureOf = (code: TransformFailureCode): Failure => ({ code, ...TRANSFORM_FAILURES[code] });
const isKnown = (code: string): code is TransformFailureCode => Object.hasOwn(TRANSFORM_FAILURES, code);

function readError(error: unknown): Failure | undefined {
  if (error instanceof SqlRefused) return refused(error);
  if (error instanceof SelectFailed) {
    const failure = failureOf(isKnown(error.code) ? error.code : 'statement_failed');
    return { ...failure, detail: filledText(failure.detail, error.bounds) };
  }
  if (!(error instanceof Problem)) return undefined;
  return problemFailure(error, PLATFORM_CODES.includes(error.code) ? 'platform' : 'data');
}

/** `a value of type VARCHAR in \`note\` does not fit INT32`; undefined where the engine names no type. */
function misfit({ name, from, to }: SqlFault): string | undefined {
  if (to === undefined) return undefined;
  const what = from === undefined ? 'a value' : `a value of type ${from}`;
  return `${what}${name === undefined ? '' : ` in \`${name}\``} does not fit ${to}`;
}

function refused({ faults }: SqlRefused): Failure {
  const [first] = faults;
  if (first?.code === 'value_invalid') {
    const said = misfit(first);
    const known = failureOf('query_failed');
    return said === undefined ? known : { ...known, detail: `The statement failed on the rows that it read: ${said}.` };
  }
  const shown = faults.slice(0, FAULTS_SHOWN).map(placed).join(', ');
  const detail = `The statement cannot run: ${shown}.`;
  const hint = 'A table that it reads has changed, or its rules: hydrate the transform, which says what is wrong.';
  return { code: 'sql_refused', origin: 'config', retryable: false, detail, hint };
}

/** The code of a fault and its place; never a word of the statement. */
function placed({ code, line, column }: SqlFault): string {
  return line === undefined ? code : `${code} at ${line}:${column ?? 1}`;
}
