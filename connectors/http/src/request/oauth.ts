import { parseExact } from '@weir/connector-sdk';
import { put } from '../answer/row.ts';
import { fault } from '../fault.ts';
import { membersOf, type Part, placeOf, templateIn, textIn, valueIn } from '../manifest/part.ts';
import { isPlainObject, type PlainObject } from '../manifest/resolve-refs.ts';
import { quotePlus } from '../template/macros.ts';
import { doubleOf, isNumeric } from '../template/number.ts';
import { type Dictionary, isDictionary, member, textOf, type Value } from '../template/value.ts';
import { parseTime } from '../time/parse-time.ts';
import { isOk } from './answer.ts';
import { type Authenticator, bearer } from './authenticator.ts';
import { exchange } from './exchange.ts';
import type { SendDeps } from './send-deps.ts';

/** How long before its end a token counts as ended, and how long one lives whose end is not told; milliseconds. */
const EARLY_MS = 30_000;
const UNTOLD_MS = 3_600_000;

type Token = { readonly access: string; readonly until: number };

/**
 * Fetches access tokens by a refresh token or by client credentials, and keeps one until shortly before its end. A refresh
 * token that comes with an access token takes the place of the old one: the configuration with it is passed on before the
 * access token is used, as the old one may be void.
 */
export function oauthAuthenticator(part: Part, config: Dictionary, deps: SendDeps): Authenticator {
  const text = (name: string, fallback: string) => textIn(part, name, config) ?? fallback;
  const secret = (name: string) => {
    const value = templateIn(part, name)?.raw({ config }) ?? '';
    deps.secrets.add(value);
    return value;
  };
  const updater = part.fields.refresh_token_updater;
  const rotation = isPlainObject(updater ?? null) ? (updater as PlainObject) : undefined;
  const path = pathOf(rotation?.refresh_token_config_path, ['credentials', 'refresh_token']);
  const grant = text('grant_type', 'refresh_token');
  let refresh = rotation === undefined ? secret('refresh_token') : textAt(config, path);
  deps.secrets.add(refresh);
  let token: Token | undefined;
  const body = (): Record<string, string> => {
    const scopes = part.fields.scopes;
    const given = membersOf(valueIn(part, 'refresh_request_body', [])?.({ config }));
    return {
      [text('grant_type_name', 'grant_type')]: grant,
      [text('client_id_name', 'client_id')]: secret('client_id'),
      [text('client_secret_name', 'client_secret')]: secret('client_secret'),
      ...(grant === 'refresh_token' ? { [text('refresh_token_name', 'refresh_token')]: refresh } : {}),
      ...(Array.isArray(scopes) ? { scopes: scopes.join(' ') } : {}),
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, textOf(value)])),
    };
  };
  const ask = async (signal: AbortSignal): Promise<Token> => {
    const members = Object.entries(body()).filter(([, value]) => value !== '');
    const headers = membersOf(valueIn(part, 'refresh_request_headers', [])?.({ config }));
    const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), textOf(value)]));
    const isJson = own['content-type']?.includes('json') === true;
    const form = members.map(([name, value]) => `${quotePlus(name)}=${quotePlus(value)}`).join('&');
    const request = {
      method: 'POST' as const,
      url: text('token_refresh_endpoint', ''),
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...own },
      body: isJson ? JSON.stringify(Object.fromEntries(members)) : form,
    };
    const answer = await exchange(request, part.at, deps, signal);
    if (!isOk(answer)) throw refused(part, answer.status);
    const said = readObject(answer.body, part.at);
    const access = textOf(member(said, text('access_token_name', 'access_token')));
    if (access === '') throw fault('token_refused', { at: part.at, what: 'the answer holds no access token' });
    deps.secrets.add(access);
    await rotate(member(said, String(rotation?.refresh_token_name ?? 'refresh_token')));
    const format = textIn(part, 'token_expiry_date_format', config);
    return { access, until: untilOf(member(said, text('expires_in_name', 'expires_in')), format, deps.now()) };
  };
  const rotate = async (next: Value): Promise<void> => {
    if (rotation === undefined || typeof next !== 'string' || next === '' || next === refresh) return;
    deps.secrets.add(next);
    refresh = next;
    await deps.onRotated(withValue(config, path, next));
  };
  let asking: Promise<Token> | undefined;
  return {
    async options(signal) {
      if (token === undefined || deps.now() >= token.until) {
        asking ??= ask(signal).finally(() => {
          asking = undefined;
        });
        token = await asking;
      }
      return bearer(token.access);
    },
    renew() {
      const had = token !== undefined;
      token = undefined;
      return had;
    },
  };
}

function refused(part: Part, status: number) {
  if (status === 429) return fault('server_busy', { at: placeOf(part, 'token_refresh_endpoint') });
  if (status >= 500) return fault('server_failed', { at: placeOf(part, 'token_refresh_endpoint') });
  return fault('token_refused', {
    at: placeOf(part, 'token_refresh_endpoint'),
    what: `the answer has status ${status}`,
  });
}

export function readObject(body: Buffer, at: string): Dictionary {
  try {
    const value = parseExact(body.toString('utf8')) as Value;
    if (isDictionary(value)) return value;
  } catch {
    // Told below: what the server sent is not quoted.
  }
  throw fault('answer_invalid', { at, what: 'an object is expected' });
}

function untilOf(ends: Value, format: string | undefined, now: number): number {
  if (format !== undefined && typeof ends === 'string') {
    const at = parseTime(ends, format);
    if (at !== undefined) return Number(at.micros / 1000n) - EARLY_MS;
  }
  const seconds = isNumeric(ends)
    ? doubleOf(ends)
    : typeof ends === 'string' && ends !== ''
      ? Number(ends)
      : Number.NaN;
  const life = Number.isFinite(seconds) ? seconds * 1000 : UNTOLD_MS;
  return now + Math.max(life - EARLY_MS, life / 2);
}

function pathOf(given: unknown, fallback: readonly string[]): readonly string[] {
  return Array.isArray(given) ? given.map(String) : fallback;
}

function textAt(config: Dictionary, path: readonly string[]): string {
  const found = path.reduce<Value>((at, name) => (isDictionary(at) ? member(at, name) : ''), config);
  return textOf(found);
}

/** The configuration with another value at a path. */
function withValue(config: Dictionary, path: readonly string[], value: string): Record<string, unknown> {
  const [name = '', ...rest] = path;
  const held = member(config, name);
  const made: Record<string, unknown> = { ...config };
  put(made, name, rest.length === 0 ? value : withValue(isDictionary(held) ? held : {}, rest, value));
  return made;
}
