import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Secret } from '../secret.ts';

/** The names of the settings that TLS to one peer has, for faults. */
export interface TlsNames {
  host: string;
  /** Turns TLS on. */
  mode: string;
  rootCert: string;
  cert: string;
  key: string;
}

/** Authorities, own certificate and its key, each in PEM. */
export interface TlsMaterial {
  ca?: string;
  cert?: string;
  key?: string;
}

export type TlsSettings = Readonly<Record<string, unknown>>;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|\/.*)$/;

/** Whether TLS is the default: everywhere but in development and to this machine itself. */
export function isFarAway(settings: TlsSettings, host: string): boolean {
  return settings.WEIR_MODE !== 'development' && !LOOPBACK.test(host);
}

/** What the settings hold for one peer, and every fault of it, each one line that begins with the setting. */
export function tlsMaterial(
  settings: TlsSettings,
  names: TlsNames,
  isOn: boolean,
): { material: TlsMaterial; faults: string[] } {
  const [ca, cert, key] = [names.rootCert, names.cert, names.key].map((name) => textOf(settings[name]));
  const given = [names.rootCert, names.cert, names.key].filter((name) => settings[name] !== undefined);
  if (!isOn) return { material: {}, faults: given.map((name) => `${name} is set, but TLS is off; set ${names.mode}`) };
  const faults: string[] = [];
  if (ca !== undefined && certificate(ca) === undefined) faults.push(`${names.rootCert} holds no certificate in PEM`);
  if ((cert === undefined) !== (key === undefined)) faults.push(`${names.cert} and ${names.key} go together; set both`);
  const own = cert === undefined ? undefined : certificate(cert);
  const ownKey = key === undefined ? undefined : privateKey(key);
  if (cert !== undefined && own === undefined) faults.push(`${names.cert} holds no certificate in PEM`);
  if (key !== undefined && ownKey === undefined)
    faults.push(`${names.key} holds no private key in PEM without passphrase`);
  if (own !== undefined && ownKey !== undefined && !own.checkPrivateKey(ownKey)) {
    faults.push(`${names.key} is not the key of ${names.cert}`);
  }
  const material = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  return { material, faults };
}

function textOf(value: unknown): string | undefined {
  if (value instanceof Secret) return String(value.reveal());
  return typeof value === 'string' ? value : undefined;
}

function certificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function privateKey(pem: string) {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
