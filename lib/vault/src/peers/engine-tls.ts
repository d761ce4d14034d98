import { isIP } from 'node:net';
import { checkServerIdentity, connect } from 'node:tls';
import { tlsFault } from './tls-fault.ts';
import { isFarAway, type TlsNames, type TlsSettings, tlsMaterial } from './tls-material.ts';

const NAMES: TlsNames = {
  host: 'WORKFLOW_HOST',
  mode: 'WEIR_WORKFLOW_TLS',
  rootCert: 'WEIR_WORKFLOW_TLS_ROOT_CERT',
  cert: 'WEIR_WORKFLOW_TLS_CERT',
  key: 'WEIR_WORKFLOW_TLS_KEY',
};
const SERVER_NAME = 'WEIR_WORKFLOW_TLS_SERVER_NAME';
const ANSWER_TIMEOUT_MS = 5_000;
/** The preface of a client of HTTP/2 with empty settings, which a server answers with its own. */
const HTTP2_HELLO = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');

/** What the engine's clients take; undefined for a connection in the clear. */
export interface EngineTlsConfig {
  serverNameOverride?: string;
  serverRootCACertificate?: Buffer;
  clientCertPair?: { crt: Buffer; key: Buffer };
}

/** The same as `EngineTlsConfig`, with every fault that forbids to connect. */
export interface EngineTls {
  readonly tls: EngineTlsConfig | undefined;
  readonly faults: readonly string[];
}

/** Reads `WEIR_WORKFLOW_TLS*` for the host to connect to. Unset, it is on for a far host outside development. */
export function engineTls(settings: TlsSettings, host: string): EngineTls {
  const isOn = (settings.WEIR_WORKFLOW_TLS ?? (isFarAway(settings, host) ? 'on' : 'off')) === 'on';
  const { material, faults } = tlsMaterial(settings, NAMES, isOn);
  const serverName = settings[SERVER_NAME];
  if (!isOn && serverName !== undefined) faults.push(`${SERVER_NAME} is set, but TLS is off; set ${NAMES.mode}`);
  if (!isOn || faults.length > 0) return { tls: undefined, faults };
  const { ca, cert, key } = material;
  const tls = {
    ...(typeof serverName === 'string' && { serverNameOverride: serverName }),
    ...(ca !== undefined && { serverRootCACertificate: Buffer.from(ca) }),
    ...(cert !== undefined &&
      key !== undefined && { clientCertPair: { crt: Buffer.from(cert), key: Buffer.from(key) } }),
  };
  return { tls, faults };
}

/**
 * Connects once and says what is wrong with TLS to the engine, which its clients tell as no more than "away". Undefined
 * when all is well, and when the engine is away, which may pass.
 */
export async function engineTlsFault(address: string, tls: EngineTlsConfig): Promise<string | undefined> {
  const { serverNameOverride, serverRootCACertificate: ca, clientCertPair: own } = tls;
  const { hostname, port } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const name = serverNameOverride ?? host;
  const socket = connect({
    ...{ host, port: Number(port), ALPNProtocols: ['h2'] },
    ...(isIP(name) === 0 && { servername: name }),
    ...(ca !== undefined && { ca }),
    ...(own !== undefined && { cert: own.crt, key: own.key }),
    checkServerIdentity: (_name, certificate) => checkServerIdentity(name, certificate),
  });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(ANSWER_TIMEOUT_MS, resolve);
      // Our certificate is judged after the handshake: only an answer shows that it was taken.
      socket.once('secureConnect', () => socket.write(HTTP2_HELLO));
      socket.once('data', () => resolve());
      socket.once('close', () => resolve());
      socket.on('error', reject);
    });
    return undefined;
  } catch (error) {
    return tlsFault(error, NAMES);
  } finally {
    socket.destroy();
  }
}
