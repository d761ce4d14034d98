import {
  type ExaminedSelect,
  LakehouseError,
  type RunSelectResult,
  type SelectCheck,
  type Selector,
  typeText,
} from '@weir/plugin-datasets/stage';
import type { Place } from '@weir/sql';
import { faultsOf, inputsOf, ofCheck, placesOf } from '../model/select/judge.ts';
import { type SqlFault, SqlRefused } from '../model/select/select-errors.ts';

/** The names by which a check knows the table as it will be, and the rows that are written to it. */
const OWN = ['result', 'written'];

/** The ids of the datasets that a statement and its checks read, once each, with those of the statement in their places. Throws `SqlRefused`. */
export async function readInputs(
  selector: Pick<Selector, 'parse'>,
  { sql, checks = [] }: { sql: string; checks?: readonly SelectCheck[] },
): Promise<{ inputs: string[]; places: Record<string, Place> }> {
  const tree = await selector.parse(sql);
  const inputs = inputsOf(tree, sql);
  for (const check of checks) {
    const ast = await selector.parse(check.sql);
    try {
      inputs.push(...inputsOf(ast, check.sql, OWN));
    } catch (error) {
      throw ofCheck(error, check.name);
    }
  }
  return { inputs: [...new Set(inputs)], places: placesOf(tree, sql) };
}

/** Throws `SqlRefused` with what is wrong in checks that cannot be carried out. */
export function assertChecks(refused: ExaminedSelect['refused'], checks: readonly SelectCheck[] = []): void {
  const faults = refused.flatMap(({ name, error }): SqlFault[] => {
    const sql = checks.find((check) => check.name === name)?.sql ?? '';
    const own = error instanceof LakehouseError ? faultsOf(error, sql) : (error as SqlRefused).faults;
    if (own === undefined) throw error;
    return own.map((fault) => ({ ...fault, check: name }));
  });
  if (faults.length > 0) throw new SqlRefused(faults);
}

/** What a run found, with types in the words of the table format. */
export const withTypeTexts = ({ checks, ...found }: RunSelectResult) => ({
  ...found,
  checks: checks.map(({ sample, ...check }) => ({
    ...check,
    ...(sample && {
      sample: { ...sample, columns: sample.columns.map(({ name, type }) => ({ name, type: typeText(type) })) },
    }),
  })),
});
