import { type Static, Type } from '@sinclair/typebox';
import { Checks } from '../contract.ts';

const MAX_ROWS = 10_000;

const Row = Type.Record(Type.String(), Type.Unknown());
const Rows = Type.Array(Row, { maxItems: MAX_ROWS });
const Input = Type.Union([
  Rows,
  Type.Object(
    { types: Type.Optional(Type.Record(Type.String(), Type.String())), rows: Rows },
    { additionalProperties: false },
  ),
]);

/** One test of a statement: rows of its inputs by dataset id, and the rows that must come of them. */
export const Fixture = Type.Object(
  {
    name: Type.Optional(Type.String()),
    sql: Type.String({ minLength: 1 }),
    inputs: Type.Optional(Type.Record(Type.String(), Input)),
    expect: Type.Optional(Rows),
    ordered: Type.Optional(Type.Boolean()),
    checks: Type.Optional(Checks),
    /** Names of the checks that must not pass. */
    broken_checks: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
);
export type FixtureBody = Static<typeof Fixture>;

/** How a test ended; `problems` are sentences, none for one that passed. */
export interface TestResult {
  problems: string[];
  ms: number;
}
