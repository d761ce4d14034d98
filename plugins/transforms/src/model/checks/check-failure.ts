import { counted } from '@weir/kernel/contract';
import type { RunFailed } from '@weir/work';
import type { CheckResultView } from '../../contract.ts';
import { transformFailed } from '../failure/transform-failures.ts';

const CHECKS_NAMED = 5;

/** Why a run is not published: the checks that failed, or that could not be carried out. */
export function checkFailure(results: readonly CheckResultView[]): RunFailed {
  const failed = results.filter(({ status }) => status === 'failed' || status === 'error');
  const named = failed.slice(0, CHECKS_NAMED).map(({ name, status, failing_rows }) => {
    if (status === 'error') return `${name} (could not be carried out)`;
    return `${name} (${counted(failing_rows ?? 0, 'row')})`;
  });
  const rest = failed.length > CHECKS_NAMED ? ` and ${failed.length - CHECKS_NAMED} more` : '';
  return transformFailed('check_failed', { checks: `${named.join(', ')}${rest}` });
}
