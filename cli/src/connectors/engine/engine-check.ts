import type { EngineRole } from './engine-role.ts';

/** One point of an engine's installation; `next_step` unless it is in order. `note`: somebody is to look at it. */
export interface EngineCheck {
  role: EngineRole | 'machine';
  check: string;
  status: 'ok' | 'note' | 'fault';
  found: string;
  next_step?: string;
}

/** Whether a point is in order, cannot be seen from here, or may be meant to be as it is. */
export type EngineVerdict = boolean | 'unknown' | 'doubtful';

/** Makes the checks of one role. */
export function checksOf(role: EngineCheck['role']) {
  return (check: string, isOk: EngineVerdict, found: string, next_step: string): EngineCheck => ({
    role,
    check,
    status: typeof isOk === 'string' ? 'note' : isOk ? 'ok' : 'fault',
    found,
    ...(isOk === true ? {} : { next_step }),
  });
}
