/**
 * Reads one SELECT from the document that DuckDB's `json_serialize_sql` writes: may it run (`gate`), which inputs it
 * names (`tablesOf`), where its columns come from (`columnLineage`). It also writes what finds wrong rows. Pure: no engine, no files, so a browser may use it.
 */

export { repeatedKeys, rowsWithout } from './checks/wrong-rows.ts';
export { type ColumnLineage, columnLineage, type OutputColumn, type Schemas } from './column-lineage.ts';
export type { ConstructUse, FunctionUse, SelectFacts, TableUse } from './facts.ts';
export type { ColumnSource, Unresolved, UnresolvedReason } from './flow.ts';
export { FUNCTION_NAMES, type FunctionHarm, TABLE_FUNCTIONS } from './functions.ts';
export { type Allowed, type GateCode, type GateFault, gate } from './gate.ts';
export { type PlanOperator, provenShape } from './increment/plan-shape.ts';
export { type IncrementFault, type IncrementOf, type IncrementShape, incrementShape } from './increment/tree-shape.ts';
export { type Place, placeOf } from './place.ts';
export { type Finding, REVIEW_RULES, review } from './review/review.ts';
export type { Rule, Severity } from './review/rule.ts';
export type { ColumnFacts, RelationFacts } from './selects/facts.ts';
export { selectFacts, tablesOf } from './tables.ts';
export { CHANCE, CLOCK, type Volatile, volatileOf } from './volatile.ts';
