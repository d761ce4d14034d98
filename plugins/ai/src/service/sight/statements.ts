import type { Tenant } from '@weir/kernel';
import type { Input } from '@weir/kernel/contract';
import type { DefinitionsService, validateTransform } from '@weir/plugin-transforms/contract';
import type { GateCheckView } from '../../contract/envelope.ts';
import type { ReviewView } from '../../contract/shapes.ts';
import { reviewCheck, reviewOf, type ValidationView } from './review.ts';

type Definition = Input<typeof validateTransform>['body'];

export interface JudgedStatement {
  validation: ValidationView;
  review: ReviewView;
  checks: GateCheckView[];
  /** Codes for another attempt; empty where the statement may be shown. */
  faults: string[];
}

/**
 * The gate of statements, the same for those of people and of providers: the engine binds it, its tables are among those that
 * were named, and the review has no error.
 */
export async function judgeStatement(
  definitions: Pick<DefinitionsService, 'validate'>,
  tenant: Tenant,
  { definition, allowed, signal }: { definition: Definition; allowed?: readonly string[]; signal: AbortSignal },
): Promise<JudgedStatement> {
  const validation = await definitions.validate(tenant, definition, signal);
  const review = reviewOf(validation);
  const named = new Set(allowed?.map((id) => id.toLowerCase()));
  const foreign = validation.inputs.filter(
    ({ dataset_id }) => allowed !== undefined && !named.has(dataset_id.toLowerCase()),
  );
  const codes = validation.faults.map(({ code }) => code);
  const checks: GateCheckView[] = [
    { check: 'statement', passed: validation.valid, detail: codes.length === 0 ? null : codes.slice(0, 20).join(', ') },
    {
      check: 'inputs',
      passed: foreign.length === 0,
      detail: foreign.length === 0 ? null : 'reads tables that were not named',
    },
    reviewCheck(review),
  ];
  const failing = review.findings.filter(({ severity }) => severity === 'error').map(({ rule_id }) => rule_id);
  return {
    validation,
    review,
    checks,
    faults: [...new Set([...codes, ...failing, ...(foreign.length > 0 ? ['inputs'] : [])])],
  };
}
