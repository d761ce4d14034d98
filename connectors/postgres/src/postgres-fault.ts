import { SourceError } from '@weir/connector-sdk';
import { EgressError } from '@weir/egress';
import { type FaultCode, fault } from './fault.ts';

const EGRESS: Readonly<Record<string, FaultCode>> = {
  address_invalid: 'address_invalid',
  address_refused: 'address_refused',
  name_unresolved: 'server_unreachable',
  setting_invalid: 'egress_setting_invalid',
};
/** By SQLSTATE, or by its first two characters. */
const STATES: Readonly<Record<string, FaultCode>> = {
  '28P01': 'login_failed',
  '28000': 'tls_required',
  '3D000': 'database_unknown',
  '42501': 'rights_missing',
  '42P01': 'stream_unknown',
  '3F000': 'stream_unknown',
  '42703': 'schema_changed',
  '53300': 'too_many_connections',
  '53400': 'no_slot_left',
  '55006': 'slot_in_use',
  '55P03': 'read_cancelled',
  '25P03': 'read_cancelled',
  '25P04': 'read_cancelled',
  '57P05': 'read_cancelled',
  '40001': 'read_cancelled',
  '57014': 'read_cancelled',
  // Only a stored state brings a text that is none of its column's type.
  '22P02': 'stored_state_invalid',
  '22003': 'stored_state_invalid',
  '22007': 'stored_state_invalid',
  '22008': 'stored_state_invalid',
  '22021': 'encoding_invalid',
  '22P05': 'encoding_invalid',
  '58P01': 'slot_lost',
  '57': 'server_stopping',
  '08': 'connection_lost',
};
/** Where the server tells two things by one SQLSTATE: by the name of the function that says so, which no language changes. */
const ROUTINES: Readonly<Record<string, FaultCode>> = {
  // The role may not log in, or is not there; else no line of pg_hba.conf lets the connection in.
  InitializeSessionUserId: 'login_failed',
};
const NETWORK: Readonly<Record<string, FaultCode>> = {
  ECONNREFUSED: 'server_unreachable',
  EHOSTUNREACH: 'server_unreachable',
  ENETUNREACH: 'server_unreachable',
  EADDRNOTAVAIL: 'server_unreachable',
  ETIMEDOUT: 'server_unreachable',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  ENOSPC: 'temporary_files_full',
};
/** Words of the driver, which gives no codes. */
const WORDS: readonly (readonly [RegExp, FaultCode])[] = [
  [/does not support SSL/i, 'tls_unsupported'],
  [/error establishing an SSL connection/i, 'tls_unsupported'],
  [/timeout expired|connection timeout/i, 'server_unreachable'],
  [/terminated|connection (?:is )?(?:closed|ended|lost)|not queryable/i, 'connection_lost'],
];
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

/** The fault that an error of the driver, the network or the server stands for. No word of the error itself is passed on. */
export function postgresFault(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  if (error instanceof EgressError) return fault(EGRESS[error.code] ?? 'server_unreachable', undefined, error);
  return fault(codeOf(error), undefined, error);
}

function codeOf(error: unknown): FaultCode {
  const { code = '', message = '', routine = '' } = (error ?? {}) as Record<string, string | undefined>;
  const known =
    ROUTINES[routine] ?? STATES[code] ?? NETWORK[code] ?? (code.length === 5 ? STATES[code.slice(0, 2)] : undefined);
  if (known !== undefined) return known;
  if (TLS_CODE.test(code)) return 'server_untrusted';
  return WORDS.find(([words]) => words.test(message))?.[1] ?? 'server_failed';
}
