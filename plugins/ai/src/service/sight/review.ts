import type { Output } from '@weir/kernel/contract';
import type { validateTransform } from '@weir/plugin-transforms/contract';
import type { GateCheckView } from '../../contract/envelope.ts';
import type { ReviewView, VerdictWord } from '../../contract/shapes.ts';

export type ValidationView = Output<typeof validateTransform>;

/** Faults and findings of a statement under one verdict; with `rules`, findings of these alone. */
export function reviewOf(
  { faults, findings }: Pick<ValidationView, 'faults' | 'findings'>,
  rules?: readonly string[],
): ReviewView {
  const wrong = faults.map(({ code, message, line, column }) => ({
    rule_id: code,
    severity: 'error' as const,
    message: message ?? 'The definition is not valid',
    ...(line !== undefined && { line, column: column ?? 1 }),
  }));
  const found = findings
    .filter(({ rule }) => rules === undefined || rules.includes(rule))
    .map(({ rule, ...finding }) => ({ rule_id: rule, ...finding }));
  const all = [...wrong, ...found];
  return { verdict: verdictOf(all.map(({ severity }) => severity)), findings: all };
}

function verdictOf(severities: readonly string[]): VerdictWord {
  if (severities.includes('error')) return 'fail';
  return severities.includes('warning') ? 'warn' : 'pass';
}

/** The review as a check of the gate. */
export const reviewCheck = ({ verdict, findings }: ReviewView): GateCheckView => ({
  check: 'review',
  passed: verdict !== 'fail',
  detail:
    findings.length === 0
      ? null
      : findings
          .map(({ rule_id }) => rule_id)
          .slice(0, 20)
          .join(', '),
});
