import { databaseTlsFault } from '@weir/vault';
import { Problem } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';

/** A unique constraint refused a row; the caller turns its name into a problem. */
export class UniqueViolation extends Error {
  readonly constraint: string;

  constructor(constraint: string, cause: unknown) {
    super(`unique constraint ${constraint}`, { cause });
    this.name = 'UniqueViolation';
    this.constraint = constraint;
  }
}

const UNIQUE_VIOLATION = '23505';
const SERIALIZATION = new Set(['40001', '40P01', '55P03']);
/** Classes 08 (connection, but for 08P01: a fault of ours), 53 (resources), 57 (shutdown, cancelled by timeout). */
const UNAVAILABLE_CLASS = /^(08(?!P01)|53|57)/;
const UNAVAILABLE_CODE =
  /^(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(HOST|NET)UNREACH|EPIPE|ENOENT)$/;
const UNAVAILABLE_TEXT =
  /Connection terminated|connection error and is not queryable|timeout exceeded when trying to connect/;

/** Names what the database refused; connection troubles become `dependency_unavailable`, lost races `conflict`. */
export function databaseError(thrown: unknown): unknown {
  if (thrown instanceof Problem || thrown instanceof UniqueViolation) return thrown;
  for (
    let error = thrown as ErrorLike | undefined, depth = 0;
    error && depth < 5;
    error = error.cause ?? error.previous, depth += 1
  ) {
    if (error.code === UNIQUE_VIOLATION) return new UniqueViolation(error.constraint ?? 'unknown', thrown);
    if (error.code !== undefined && SERIALIZATION.has(error.code)) return kernelProblems.conflict({ cause: thrown });
    const unavailable =
      error.code !== undefined && (UNAVAILABLE_CLASS.test(error.code) || UNAVAILABLE_CODE.test(error.code));
    if (unavailable || UNAVAILABLE_TEXT.test(error.message ?? '')) {
      return kernelProblems.dependencyUnavailable({ cause: thrown });
    }
  }
  return databaseTlsFault(thrown) === undefined ? thrown : kernelProblems.dependencyUnavailable({ cause: thrown });
}

interface ErrorLike {
  code?: string;
  constraint?: string;
  message?: string;
  cause?: ErrorLike;
  previous?: ErrorLike;
}
