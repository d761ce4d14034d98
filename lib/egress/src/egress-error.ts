/** Everything the client fails with, and what each says. No message names an address, a header or a query. */
export const EGRESS_FAULTS = {
  address_invalid: 'The address is not a complete URL',
  scheme_refused: 'Only http and https addresses are fetched',
  userinfo_refused: 'The address holds a user name or a password',
  port_refused: 'The port is not one that the operator opened',
  address_refused: 'The address leads into a network that is not public',
  header_refused: 'A request header is not for the caller to set',
  setting_invalid: 'A setting of the operator for outgoing connections is not valid',
  name_unresolved: 'The name of the server cannot be resolved',
  connect_failed: 'The server cannot be reached',
  connect_timeout: 'The server did not take the connection in time',
  tls_failed: 'No trusted encrypted connection to the server came about',
  headers_timeout: 'The server did not begin its answer in time',
  headers_too_large: 'The server sent more header than is taken',
  response_invalid: 'What the server sent is not HTTP',
  redirect_refused: 'The server redirects to nowhere, from https to http, or to where the body would not go',
  too_many_redirects: 'The server redirects too often',
  idle_timeout: 'The server stopped in the middle of its answer',
  too_slow: 'The server sends too slowly',
  total_timeout: 'The answer took too long as a whole',
  too_large: 'The answer is larger than is taken',
  connection_lost: 'The connection ended before the answer was whole',
} as const;

export type EgressCode = keyof typeof EGRESS_FAULTS;

/** A fetch that failed, by its code. Its cause may quote the address: it is for a debugger, never for a log. */
export class EgressError extends Error {
  readonly code: EgressCode;
  /** Of a refused redirect: scheme, host and port that it leads to. The server chose it. */
  readonly redirectOrigin: string | undefined;

  constructor(code: EgressCode, cause?: unknown, redirectOrigin?: string) {
    super(EGRESS_FAULTS[code], cause === undefined ? undefined : { cause });
    this.name = 'EgressError';
    this.code = code;
    this.redirectOrigin = redirectOrigin;
  }
}
