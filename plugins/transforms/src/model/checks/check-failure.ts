import { RunFailed } from '@weir/work';
import type { CheckResultView } from '../../contract.ts';

const CHECKS_NAMED = 5;

/** Why a run is not published: the checks that failed, or that could not be carried out. */
export function checkFailure(results: readonly CheckResultView[]): RunFailed {
  const failed = results.filter(({ status }) => status === 'failed' || status === 'error');
  const named = failed.slice(0, CHECKS_NAMED).map(({ name, status, failing_rows }) => {
    if (status === 'error') return `${name} (could not be carried out)`;
    return `${name} (${failing_rows} rows)`;
  });
  const rest = failed.length > CHECKS_NAMED ? ` and ${failed.length - CHECKS_NAMED} more` : '';
  return new RunFailed({
    ...{ code: 'check_failed', origin: 'data', retryable: false },
    detail: `Checks keep the result from being published: ${named.join(', ')}${rest}. The table is as before.`,
    hint: 'GET /transform-runs/{run_id}/checks shows rows that break them: correct the inputs, the statement or the check.',
  });
}
