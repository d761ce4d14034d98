import type { CheckBody } from '../../contract.ts';

/** What is wrong with a check before any statement runs. */
export interface CheckFault {
  check: string;
  code: 'name_repeated' | 'bound_missing' | 'bounds_crossed';
}

/** The rules that one check, or one name among several, breaks. Pure. */
export function checkFaults(checks: readonly CheckBody[]): CheckFault[] {
  const names = checks.map(({ name }) => name);
  return checks.flatMap((check, at): CheckFault[] => [
    ...(names.indexOf(check.name) === at ? [] : [{ check: check.name, code: 'name_repeated' as const }]),
    ...boundsOf(check).map((code) => ({ check: check.name, code })),
  ]);
}

function boundsOf(check: CheckBody): CheckFault['code'][] {
  if (check.kind !== 'row_count') return [];
  const { min, max } = check;
  if (min === undefined && max === undefined) return ['bound_missing'];
  return min !== undefined && max !== undefined && min > max ? ['bounds_crossed'] : [];
}
