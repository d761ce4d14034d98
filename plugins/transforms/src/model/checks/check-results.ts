import type { CheckBody, CheckReportView, CheckResultView } from '../../contract.ts';

/** A check as the process of a statement carried it out; `failures` is null where a value kept it from that. */
export interface CheckFound {
  name: string;
  failures: string | null;
  ms: number;
  sample?: NonNullable<CheckReportView['sample']>;
}

/** How the checks of a run ended, in the order of the definition. Pure. */
export function checkResults(checks: readonly CheckBody[], found: readonly CheckFound[]): CheckResultView[] {
  const byName = new Map(found.map((one) => [one.name, one]));
  return checks.flatMap(({ name, kind, severity = 'fail' }) => {
    const one = byName.get(name);
    if (one === undefined) return [];
    const status = statusOf(one, severity);
    return [{ name, kind, severity, status, failing_rows: one.failures, duration_ms: one.ms }];
  });
}

function statusOf({ failures }: CheckFound, severity: CheckResultView['severity']): CheckResultView['status'] {
  if (failures === null) return 'error';
  if (failures === '0') return 'passed';
  return severity === 'warn' ? 'warned' : 'failed';
}
