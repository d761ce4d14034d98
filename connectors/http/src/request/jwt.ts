import { createHmac, createPrivateKey, sign } from 'node:crypto';
import { fault } from '../fault.ts';
import {
  flagIn,
  membersOf,
  numberIn,
  type Part,
  partIn,
  placeOf,
  templateIn,
  textIn,
  valueIn,
} from '../manifest/part.ts';
import type { Dictionary } from '../template/value.ts';
import type { Authenticator } from './authenticator.ts';
import { injectorOf, NO_OPTIONS } from './request-options.ts';
import type { SendDeps } from './send-deps.ts';

const DEFAULT_SECONDS = 1200;
const HMAC: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };
const KEYED: Readonly<Record<string, string>> = { RS256: 'sha256', RS384: 'sha384', RS512: 'sha512', ES256: 'sha256' };
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs a token of its own for each request (RFC 7519): HMAC, RSA and P-256 signatures. */
export function jwtAuthenticator(part: Part, config: Dictionary, deps: SendDeps): Authenticator {
  const algorithm = textIn(part, 'algorithm', config) ?? '';
  if (!Object.hasOwn(HMAC, algorithm) && !Object.hasOwn(KEYED, algorithm))
    throw fault('manifest_unsupported', { at: placeOf(part, 'algorithm'), what: 'a signature that is not made here' });
  const given = templateIn(part, 'secret_key')?.raw({ config }) ?? '';
  deps.secrets.add(given);
  const key = flagIn(part, 'base64_encode_secret_key', config) ? Buffer.from(given).toString('base64') : given;
  const option = partIn(part, 'request_option');
  const prefix = textIn(part, 'header_prefix', config);
  const members = (name: string) => membersOf(valueIn(part, name, [])?.({ config }));
  const make = (): string => {
    const now = Math.floor(deps.now() / 1000);
    const seconds = numberIn(part, 'token_duration', config) ?? DEFAULT_SECONDS;
    const header = { alg: algorithm, ...members('jwt_headers'), ...members('additional_jwt_headers') };
    const claims = {
      ...members('jwt_payload'),
      ...members('additional_jwt_payload'),
      iat: now,
      exp: now + seconds,
      nbf: now,
    };
    const text = `${encode(header)}.${encode(claims)}`;
    return `${text}.${signature(algorithm, key, text, part)}`;
  };
  return {
    async options() {
      const token = make();
      deps.secrets.add(token);
      if (option !== undefined) return injectorOf(option, config)(token);
      return { ...NO_OPTIONS, headers: { authorization: prefix === undefined ? token : `${prefix} ${token}` } };
    },
    renew: () => false,
  };
}

function signature(algorithm: string, key: string, text: string, part: Part): string {
  const mac = HMAC[algorithm];
  if (mac !== undefined) return createHmac(mac, key).update(text).digest('base64url');
  try {
    const dsaEncoding = 'ieee-p1363' as const;
    return sign(KEYED[algorithm], Buffer.from(text), { key: createPrivateKey(key), dsaEncoding }).toString('base64url');
  } catch (cause) {
    throw fault('config_invalid', { at: placeOf(part, 'secret_key'), what: 'it is no private key', cause });
  }
}
