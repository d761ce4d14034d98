import { ProblemError } from '../api/problem-error.ts';

/** A fault of a statement by its place, both counted from 1. */
export interface SqlFault {
  code: string;
  line: number;
  column: number;
  message?: string;
}

/** What the server says of a statement, by place; none for any other error. */
export function faultsOf(error: unknown): SqlFault[] {
  if (!(error instanceof ProblemError)) return [];
  const { faults } = error.problem as { faults?: unknown };
  if (!Array.isArray(faults)) return [];
  return (faults as Partial<SqlFault>[]).map(({ code = '', line = 1, column = 1 }) => ({
    code,
    line: line ?? 1,
    column: column ?? 1,
    message: faultWords(code),
  }));
}

/** A code in words; the codes are lower snake case. */
export function faultWords(code: string): string {
  const words = code.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
