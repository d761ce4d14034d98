import { readStatement } from './ast.ts';
import { factsOf, type SelectFacts, type TableUse } from './facts.ts';

/** What a statement mentions; undefined when it is not exactly one SELECT of bounded size. */
export function selectFacts(ast: unknown): SelectFacts | undefined {
  const statement = readStatement(ast);
  return 'query' in statement ? factsOf(statement.query) : undefined;
}

/** The tables that a statement reads, with common table expressions resolved: one entry a mention, in the text's order. */
export const tablesOf = (ast: unknown): readonly TableUse[] =>
  (selectFacts(ast)?.tables ?? []).toSorted((one, other) => one.offset - other.offset);
