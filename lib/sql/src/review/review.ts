import { fold, readStatement } from '../ast.ts';
import { type Place, placeOf } from '../place.ts';
import type { RelationFacts } from '../selects/facts.ts';
import { readSelects } from '../selects/selects.ts';
import { JOIN_RULES, joinRules } from './joins.ts';
import { orderRules, ROW_RULES, rowRules } from './rows.ts';
import type { Broken, Rule, Severity } from './rule.ts';
import { outputRules, SHAPE_RULES, shapeRules } from './shape.ts';
import { VALUE_RULES, valueRules } from './values.ts';

/** What a statement may do that its author does not mean. */
export interface Finding extends Place {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly name?: string;
}

/** All rules, each with a statement that breaks it and one that does not. */
export const REVIEW_RULES: readonly Rule[] = [...JOIN_RULES, ...ROW_RULES, ...VALUE_RULES, ...SHAPE_RULES];

/** The most findings that one review gives. */
const MAX_FINDINGS = 100;

/** Reviews one SELECT; finds nothing in other statements. Inputs by the names that the statement gives them; what is not known of them breaks no rule. */
export function review(
  ast: unknown,
  { sql, inputs }: { readonly sql: string; readonly inputs: Readonly<Record<string, RelationFacts>> },
): Finding[] {
  const read = readStatement(ast);
  if ('fault' in read) return [];
  const byName = new Map(Object.entries(inputs).map(([name, facts]) => [fold(name), facts]));
  const statement = readSelects(read.query, byName);
  const ofSelects = [...joinRules, ...rowRules, ...valueRules, ...shapeRules];
  return [
    ...statement.selects.flatMap((select) => ofSelects.flatMap((rule) => rule(select, statement))),
    ...[...orderRules, ...outputRules].flatMap((rule) => rule(statement)),
  ]
    .toSorted((one, other) => one.offset - other.offset)
    .slice(0, MAX_FINDINGS)
    .map((one) => findingOf(one, sql));
}

const findingOf = ({ rule: { id, severity, message }, offset, name }: Broken, sql: string): Finding => {
  const finding = { rule: id, severity, message, ...placeOf(sql, offset) };
  return name === undefined ? finding : { ...finding, name };
};
