import { type FailureOrigin, type FailureType, SourceError } from '@weir/connector-sdk';
import type { EgressCode } from '@weir/egress';

type Fault = {
  readonly type: FailureType;
  readonly origin: FailureOrigin;
  readonly message: string;
  readonly hint: string;
};
const config = (message: string, hint: string): Fault => ({ type: 'config_error', origin: 'config', message, hint });
const source = (message: string, hint: string): Fault => ({ type: 'config_error', origin: 'source', message, hint });
const passing = (message: string, hint: string): Fault => ({
  type: 'transient_error',
  origin: 'source',
  message,
  hint,
});

/** Everything this connector fails with. Messages and hints hold places of the manifest and no value. */
export const FAULTS = {
  manifest_missing: config('There is no manifest', 'Give the pattern a manifest.'),
  manifest_invalid: config('The manifest is not one', 'Mend the place that is named.'),
  manifest_unsupported: config(
    'The manifest asks for something that this connector does not do',
    'The table of what is supported is in the documents of the connector.',
  ),
  template_failed: config('An expression of the manifest cannot be worked out', 'Look at the place that is named.'),
  config_invalid: config('The configuration does not fit the manifest', 'Compare it with the specification.'),
  stream_unknown: config('The manifest no longer has this stream', 'Discover the source again.'),
  address_invalid: config('The address of a request is not valid', 'It must be a complete http or https address.'),
  address_refused: config(
    'The address leads into a network, or to a port, that is not open',
    'The operator opens networks by WEIR_EGRESS_ALLOW and ports by WEIR_EGRESS_PORTS.',
  ),
  address_elsewhere: source(
    'The next page is said to be on another server',
    'Credentials are not sent to a server that the manifest does not name.',
  ),
  request_refused: source('The server refuses the request', 'Look at the path and the parameters of the request.'),
  request_unauthorized: config(
    'The server does not accept the credentials',
    'Check the credentials and what they may read.',
  ),
  address_not_found: source('The server has nothing at this address', 'Check the path in the manifest.'),
  token_refused: config('No access token was given out', 'Check the credentials and the address of the token server.'),
  server_failed: passing('The server failed', 'It is tried again with the next run.'),
  server_busy: passing('The server asks for fewer requests', 'Give the manifest an api_budget, or run less often.'),
  server_unreachable: passing('The server cannot be reached', 'Check the address and that the server is there.'),
  server_too_slow: passing('The server answers too slowly', 'It is tried again with the next run.'),
  server_untrusted: config('The server cannot be trusted', 'Its certificate must be valid for its name.'),
  wait_too_long: passing('The server asks to wait for too long', 'Run again later.'),
  answer_too_large: source('An answer is larger than is taken', 'Ask for smaller pages.'),
  answer_invalid: source('An answer is not what its decoder reads', 'Compare the decoder with what the server sends.'),
  answer_broken: passing('An answer broke off', 'It is tried again with the next run.'),
  record_not_object: source('A record is not an object', 'The field_path must lead to objects.'),
  cursor_value_invalid: source(
    'A value of the cursor field is of none of its formats',
    'Give the format in cursor_datetime_formats.',
  ),
  paging_loop: source('The pages do not end', 'The server gives the same page again: check the page parameter.'),
  state_invalid: config('The stored state is not of this stream', 'Reset the stream.'),
  egress_setting_invalid: {
    type: 'config_error',
    origin: 'platform',
    message: 'A setting of the operator for outgoing connections is not valid',
    hint: 'Check WEIR_EGRESS_ALLOW and WEIR_EGRESS_PORTS.',
  },
} as const satisfies Record<string, Fault>;

export type FaultCode = keyof typeof FAULTS;

const pointers = new WeakMap<SourceError, string>();

export type Place = {
  /** The JSON pointer of the part of the manifest that the fault is about. */
  readonly at?: string;
  /** What is wrong there, without a value. */
  readonly what?: string;
  readonly type?: FailureType;
  readonly cause?: unknown;
};

/** A failure by its code. The hint names the place in the manifest and what is wrong there. */
export function fault(code: FaultCode, { at, what, type, cause }: Place = {}): SourceError {
  const { hint, ...known } = FAULTS[code];
  const where = at === undefined ? '' : `${at === '' ? '/' : at}: `;
  const told = what === undefined ? hint : `${what}. ${hint}`;
  const error = new SourceError(code, {
    ...known,
    ...(type === undefined ? {} : { type }),
    hint: `${where}${told}`,
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
