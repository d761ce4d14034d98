import type { EngineRole } from './engine-role.ts';

/** One point of an engine's installation. `next_step` is there unless it is in order; `note`: it cannot be seen from here. */
export interface EngineCheck {
  role: EngineRole | 'machine';
  check: string;
  status: 'ok' | 'note' | 'fault';
  found: string;
  next_step?: string;
}

/** Makes the checks of one role. */
export function checksOf(role: EngineCheck['role']) {
  return (check: string, isOk: boolean | 'unknown', found: string, next_step: string): EngineCheck => ({
    role,
    check,
    status: isOk === 'unknown' ? 'note' : isOk ? 'ok' : 'fault',
    found,
    ...(isOk === true ? {} : { next_step }),
  });
}
