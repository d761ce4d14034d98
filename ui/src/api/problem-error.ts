import type { CallResult, Endpoint } from '@weir/kernel/contract';

type ProblemDocument = Extract<CallResult<Endpoint>, { ok: false }>['problem'];

/** The API refused a call and says why. */
export class ProblemError extends Error {
  readonly problem: ProblemDocument;

  constructor(problem: ProblemDocument) {
    super(problem.detail);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** The API could not be reached, or something else answered. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super('The server did not answer.', { cause });
    this.name = 'UnreachableError';
  }
}

/** An answer does not fit the contract that these pages were built with. */
export class ContractError extends Error {
  readonly endpoint: string;

  constructor(endpoint: string) {
    super('The answer of the server does not fit these pages. Reload them.');
    this.name = 'ContractError';
    this.endpoint = endpoint;
  }
}
