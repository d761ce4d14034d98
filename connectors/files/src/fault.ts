import { type Fault, SourceError } from '@weir/connector-sdk';
import faults from '../faults.json' with { type: 'json' };

/**
 * Everything this connector fails with, as `faults.json` tells it to the platform too. Hints tell what to do and quote no
 * content; a file is known by its name alone.
 */
export const FAULTS = faults as Record<FaultCode, Fault>;

export type FaultCode = keyof typeof faults;

/** The error for a fault; `where` goes in front of the hint: a file's name, a line's number, a configuration key. */
export function fault(code: FaultCode, where?: string): SourceError {
  const { type, origin, message, hint } = FAULTS[code];
  return new SourceError(code, { type, origin, message, hint: where === undefined ? hint : `${where}: ${hint}` });
}
