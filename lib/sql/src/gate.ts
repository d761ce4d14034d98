import { fold, readStatement, type StatementFault } from './ast.ts';
import { type FunctionUse, factsOf, type SelectFacts, type TableUse } from './facts.ts';
import { type FunctionHarm, harmOf, isAllowed, TABLE_FUNCTIONS } from './functions.ts';
import { type Place, placeOf } from './place.ts';

export type GateCode =
  | StatementFault
  | 'construct_refused'
  | 'describe_refused'
  | 'table_unknown'
  | 'table_qualified'
  | 'table_dated'
  | 'function_refused'
  | 'function_unknown'
  | 'table_function_refused';

/** Why a statement may not run. */
export interface GateFault extends Place {
  readonly code: GateCode;
  /** The offending name as the author wrote it, or the kind of a construct. */
  readonly name?: string;
  /** Of a refused function: what it would read, run or change. */
  readonly harm?: FunctionHarm;
}

export interface Allowed {
  /** Names of the inputs, as the session will know them; a list has catalogue and schema before the name. */
  readonly inputs: readonly (string | readonly string[])[];
  /** The text that was parsed, for lines and columns. */
  readonly sql: string;
  /** Functions that may stand in FROM, in place of those that only compute. */
  readonly tableFunctions?: readonly string[];
}

/**
 * The faults of a statement; it may run when there are none. It lets through exactly one SELECT that reads nothing but
 * the inputs and calls nothing but classified functions.
 */
export function gate(ast: unknown, { inputs, sql, tableFunctions = TABLE_FUNCTIONS }: Allowed): GateFault[] {
  const statement = readStatement(ast);
  if ('fault' in statement) {
    const { fault: code, offset, name } = statement;
    return [{ code, ...(name === undefined ? {} : { name }), ...placeOf(sql, offset ?? 0) }];
  }
  const known = {
    inputs: new Set(inputs.map((path) => keyOf([path].flat()))),
    tableFunctions: new Set(tableFunctions.map(fold)),
  };
  return faultsOf(factsOf(statement.query), known)
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ offset, ...fault }) => ({ ...fault, ...placeOf(sql, offset) }));
}

interface Known {
  readonly inputs: ReadonlySet<string>;
  readonly tableFunctions: ReadonlySet<string>;
}

type Judged = Omit<GateFault, keyof Place> & { readonly offset: number };

const faultsOf = ({ tables, functions, constructs }: SelectFacts, known: Known): Judged[] => [
  ...constructs.map(({ name, offset }): Judged => ({ code: codeOf(name), name, offset })),
  ...tables.flatMap((use) => judgeTable(use, known)),
  ...functions.flatMap((use) => judgeFunction(use, known)),
];

/** DESCRIBE, SHOW and SUMMARIZE, which people type first, are told apart from what nobody means. */
const codeOf = (construct: string): GateCode => (construct === 'SHOW_REF' ? 'describe_refused' : 'construct_refused');

const keyOf = (path: readonly string[]): string => JSON.stringify(path.map(fold));

function judgeTable({ path, dated, offset }: TableUse, { inputs }: Known): Judged[] {
  const name = path.join('.');
  if (!inputs.has(keyOf(path))) return [{ code: path.length > 1 ? 'table_qualified' : 'table_unknown', name, offset }];
  return dated ? [{ code: 'table_dated', name, offset }] : [];
}

function judgeFunction({ name, place, offset }: FunctionUse, { tableFunctions }: Known): Judged[] {
  const folded = fold(name);
  if (place === 'from' ? tableFunctions.has(folded) : isAllowed(folded)) return [];
  const harm = harmOf(folded);
  if (harm !== undefined) return [{ code: 'function_refused', name, harm, offset }];
  return [{ code: place === 'from' ? 'table_function_refused' : 'function_unknown', name, offset }];
}
