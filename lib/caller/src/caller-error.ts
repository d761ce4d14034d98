/** Why a request has no usable answer, by code. */
export const CALLER_FAULTS = {
  address_unreachable: 'The service cannot be reached',
  tls_failed: 'The certificate of the service is not trusted, or it does not speak TLS',
  timed_out: 'The service did not answer in time',
  connection_lost: 'The service closed the connection before its answer was complete',
  answer_too_large: 'The answer of the service is too large',
  answer_invalid: 'The answer of the service is not JSON',
} as const;

export type CallerCode = keyof typeof CALLER_FAULTS;

/** A request without a usable answer. It has no cause: what lies under it may quote an address, a credential or a body. */
export class CallerError extends Error {
  override readonly name = 'CallerError';
  readonly code: CallerCode;
  /** False when the service has seen nothing of the request. */
  readonly sent: boolean;

  constructor(code: CallerCode, sent: boolean) {
    super(CALLER_FAULTS[code]);
    this.code = code;
    this.sent = sent;
  }
}
