import { faultSentence, type Output, type ShownFault } from '@weir/kernel/contract';
import type { validateTransform } from '@weir/plugin-transforms/contract';
import { problemFaults } from '../faults/problem-faults.ts';

/** A fault of a statement by its place, both counted from 1. */
export interface SqlFault {
  code: string;
  line: number;
  column: number;
  message?: string;
  /** `error` unless it is said. */
  severity?: 'error' | 'warning' | 'info';
}

/** Where the editor marks faults of the statement. */
export const marksOf = (faults: readonly ShownFault[], sql?: string): SqlFault[] =>
  faults
    .filter(({ pointer, line }) => pointer === '/sql' && line !== undefined)
    .map((fault) => ({
      code: fault.code,
      line: fault.line ?? 1,
      column: fault.column ?? 1,
      message: faultSentence(fault, sql),
    }));

/** What the server says of a statement that it refused. */
export const faultsOf = (error: unknown, sql?: string): SqlFault[] => marksOf(problemFaults(error), sql);

/** What a review finds. */
export type ReviewFinding = Output<typeof validateTransform>['findings'][number];

/** Where the editor marks what a review found: none of it keeps the statement from running. */
export const findingMarks = (findings: readonly ReviewFinding[] = []): SqlFault[] =>
  findings.map(({ rule, severity, message, line, column }) => ({
    code: rule,
    line,
    column,
    message,
    severity: severity === 'note' ? 'info' : 'warning',
  }));
