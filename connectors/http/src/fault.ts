import { type FailureType, type Fault, SourceError } from '@weir/connector-sdk';
import type { EgressCode } from '@weir/egress';
import faults from '../faults.json' with { type: 'json' };

/** Everything this connector fails with, as `faults.json` tells it to the platform too; no text holds a value. */
export const FAULTS = faults as Record<FaultCode, Fault>;

export type FaultCode = keyof typeof faults;

const pointers = new WeakMap<SourceError, string>();

export type Place = {
  /** The JSON pointer of the part of the manifest that the fault is about. */
  readonly at?: string;
  /** What is wrong there, without a value. */
  readonly what?: string;
  readonly type?: FailureType;
  /** When the server takes requests again. */
  readonly retryAt?: Date;
  readonly cause?: unknown;
};

/** A failure by its code. The hint names the place in the manifest and what is wrong there. */
export function fault(code: FaultCode, { at, what, type, retryAt, cause }: Place = {}): SourceError {
  const { hint, ...known } = FAULTS[code];
  const where = at === undefined ? '' : `${at === '' ? '/' : at}: `;
  const told = what === undefined ? hint : `${what}. ${hint}`;
  const error = new SourceError(code, {
    ...known,
    ...(type === undefined ? {} : { type }),
    hint: `${where}${told}`,
    ...(retryAt === undefined ? {} : { retryAt }),
    cause,
  });
  if (at !== undefined) pointers.set(error, at);
  return error;
}

/** The place in the manifest that a failure is about, if it is known. */
export function pointerOf(error: unknown): string | undefined {
  return error instanceof SourceError ? pointers.get(error) : undefined;
}

/** What a failed exchange stands for. */
export const EGRESS_FAULTS: Readonly<Record<EgressCode, FaultCode>> = {
  address_invalid: 'address_invalid',
  scheme_refused: 'address_invalid',
  userinfo_refused: 'address_invalid',
  header_refused: 'manifest_invalid',
  port_refused: 'address_refused',
  address_refused: 'address_refused',
  setting_invalid: 'egress_setting_invalid',
  name_unresolved: 'server_unreachable',
  connect_failed: 'server_unreachable',
  connect_timeout: 'server_unreachable',
  tls_failed: 'server_untrusted',
  headers_timeout: 'server_too_slow',
  idle_timeout: 'server_too_slow',
  too_slow: 'server_too_slow',
  total_timeout: 'server_too_slow',
  headers_too_large: 'answer_invalid',
  response_invalid: 'answer_invalid',
  redirect_refused: 'address_elsewhere',
  too_many_redirects: 'answer_invalid',
  too_large: 'answer_too_large',
  connection_lost: 'answer_broken',
};
