import type { TlsNames } from './tls-material.ts';

const MAX_CAUSES = 6;
const UNTRUSTED =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_(SIGNATURE_FAILURE|UNTRUSTED|CHAIN_TOO_LONG|REJECTED)|INVALID_CA)$/;
const OUT_OF_TIME = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/;
const OTHER_NAME = /^ERR_TLS_CERT_ALTNAME_INVALID$/;
/** Alerts by which a server says that it wants a certificate, or another one. */
const WANTS_CERTIFICATE = /ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|UNKNOWN_CA|BAD_CERTIFICATE)/;
const NO_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;
/** The driver's words for a Postgres server without TLS. */
const NO_TLS_TEXT = /^The server does not support SSL connections/;
/** Postgres refuses how a role connects: without TLS, or without a certificate of its own. */
const REFUSED_AS_IT_COMES = '28000';

/**
 * What is wrong with TLS to a peer, when that is why an error was thrown: names the settings to look at, and holds no
 * value. Undefined for every other error, such as one of a peer that is away.
 */
export function tlsFault(thrown: unknown, names: TlsNames): string | undefined {
  let error = thrown as ErrorLike | undefined;
  for (let depth = 0; error && depth < MAX_CAUSES; error = error.cause ?? error.previous, depth += 1) {
    const { code = '', message = '' } = error;
    const says = sentence(code, message, names);
    if (says !== undefined) return says;
  }
  return undefined;
}

function sentence(code: string, message: string, { host, mode, rootCert, cert }: TlsNames): string | undefined {
  if (OTHER_NAME.test(code)) return `the certificate of ${host} is for another name`;
  if (UNTRUSTED.test(code)) return `the certificate of ${host} is not from an authority in ${rootCert}`;
  if (OUT_OF_TIME.test(code)) return `the certificate of ${host} has expired or is not valid yet`;
  if (WANTS_CERTIFICATE.test(code)) return `${host} does not accept the client certificate; check ${cert}`;
  if (NO_TLS.test(code) || NO_TLS_TEXT.test(message)) return `${host} does not speak TLS, which ${mode} asks for`;
  if (code === REFUSED_AS_IT_COMES) {
    return `${host} refuses how this role connects; check ${mode}, ${cert} and the rules of the server`;
  }
  return /^ERR_(SSL|TLS)_/.test(code) ? `TLS with ${host} failed (${code}); check ${mode}` : undefined;
}

interface ErrorLike {
  code?: string;
  message?: string;
  cause?: ErrorLike;
  previous?: ErrorLike;
}
