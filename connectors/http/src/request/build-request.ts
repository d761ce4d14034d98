import { fault } from '../fault.ts';
import { type Part, partIn, templateIn, textsIn, valueIn } from '../manifest/part.ts';
import { quotePlus } from '../template/macros.ts';
import { type Dictionary, isDictionary, textOf, type Value } from '../template/value.ts';
import { mergeOptions, NO_OPTIONS, type Options } from './request-options.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
export type HttpRequest = {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];
const NAMES = ['stream_slice', 'next_page_token'];
/** Those of which the reference sends a body. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export type RequestShape = {
  /** A request for a slice and a page; `address` takes the place of the manifest's own, and must be on the same server. */
  readonly build: (scope: Dictionary, extra: Options, address?: string) => HttpRequest;
};

/** What the requester of a manifest asks for. */
export function requestShape(part: Part, names: readonly string[] = []): RequestShape {
  const known = [...NAMES, ...names];
  const base = templateIn(part, 'url_base', known) ?? templateIn(part, 'url', known);
  const path = templateIn(part, 'path', known);
  if (base === undefined) throw fault('manifest_invalid', { at: part.at, what: 'url_base is missing' });
  const method = String(part.fields.http_method ?? 'GET').toUpperCase();
  if (!METHODS.includes(method)) throw fault('manifest_invalid', { at: part.at, what: 'http_method is none' });
  const own = ownOptions(part, known);
  return {
    build(scope, extra, address) {
      const given = path?.text(scope) ?? '';
      const first = joined(base.text(scope), given);
      const url = address === undefined ? first : samePlace(joined(base.text(scope), address), first, part.at);
      const options = mergeOptions([own(scope), extra]);
      return assemble(method as Method, url, options, part.at);
    },
  };
}

function ownOptions(part: Part, names: readonly string[]): (scope: Dictionary) => Options {
  const params = textsIn(part, 'request_parameters', names);
  const headers = textsIn(part, 'request_headers', names);
  const body = partIn(part, 'request_body');
  const kind = body?.type;
  const read = kind === 'RequestBodyJsonObject' ? valueIn : textsIn;
  const given = body === undefined ? undefined : read(body, 'value', names);
  const data =
    kind === 'RequestBodyPlainText' || kind === 'RequestBodyUrlEncodedForm'
      ? given
      : textsIn(part, 'request_body_data', names);
  const json = kind === 'RequestBodyJsonObject' ? given : valueIn(part, 'request_body_json', names);
  const membersAt = (value: Value | undefined, name: string): Dictionary => {
    if (value === undefined || value === null) return {};
    if (!isDictionary(value))
      throw fault('manifest_invalid', { at: `${part.at}/${name}`, what: 'members are expected' });
    return value;
  };
  return (scope) => {
    const dataValue = data?.(scope) ?? {};
    return {
      params: membersAt(params?.(scope), 'request_parameters'),
      headers: membersAt(headers?.(scope), 'request_headers'),
      data: isDictionary(dataValue) ? dataValue : textOf(dataValue),
      json: json?.(scope) ?? NO_OPTIONS.json,
    };
  };
}

function joined(base: string, path: string): string {
  if (/^https?:\/\//i.test(path)) return path;
  if (path === '') return base;
  return `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
}

/** Credentials go only where the manifest itself sends them. */
function samePlace(url: string, first: string, at: string): string {
  const [there, here] = [URL.parse(url), URL.parse(first)];
  if (there === null || here === null) throw fault('address_invalid', { at });
  if (there.origin !== here.origin) throw fault('address_elsewhere', { at });
  return url;
}

function assemble(method: Method, address: string, { params, headers, data, json }: Options, at: string): HttpRequest {
  const url = URL.parse(address);
  if (url === null) throw fault('address_invalid', { at });
  const query = pairsOf(params).filter(([name, value]) => !url.searchParams.getAll(name).includes(value));
  const added = query.map(([name, value]) => `${quotePlus(name)}=${quotePlus(value)}`).join('&');
  const search = [url.search.replace(/^\?/, ''), added].filter((text) => text !== '').join('&');
  url.search = search;
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), textOf(value)]));
  const body = WITH_BODY.has(method) ? bodyOf(data, json) : undefined;
  if (body === undefined) return { method, url: url.href, headers: own };
  return { method, url: url.href, headers: { 'content-type': body.type, ...own }, body: body.text };
}

function bodyOf(data: Options['data'], json: Value): { type: string; text: string } | undefined {
  const hasJson = !isDictionary(json) || Object.keys(json).length > 0;
  if (hasJson) return { type: 'application/json', text: JSON.stringify(json) };
  if (typeof data === 'string') return data === '' ? undefined : { type: 'text/plain; charset=utf-8', text: data };
  const pairs = pairsOf(data);
  if (pairs.length === 0) return undefined;
  const text = pairs.map(([name, value]) => `${quotePlus(name)}=${quotePlus(value)}`).join('&');
  return { type: 'application/x-www-form-urlencoded', text };
}

function pairsOf(members: Dictionary): [string, string][] {
  return Object.entries(members).flatMap(([name, value]): [string, string][] => {
    if (value === null) return [];
    return Array.isArray(value) ? value.map((item) => [name, textOf(item)]) : [[name, textOf(value)]];
  });
}
