/** CPU-seconds that a test file may use. */
export const USUAL_BUDGET = 6;

/** The files that may use more, dearest first, with their CPU-seconds on two cores. */
export const BUDGETS: Readonly<Record<string, number>> = {};

/** A file that uses so many times its budget fails. */
export const TOO_DEAR = 2;
/** A running file that has used so many times its budget is ended. */
export const RUNAWAY = 5;

export const budgetOf = (file: string): number => BUDGETS[file] ?? USUAL_BUDGET;
