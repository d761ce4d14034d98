import { EgressError } from './egress-error.ts';
import { isPublic } from './is-public.ts';
import { type Address, holds, type Network, parseAddress } from './network.ts';

/** Where a connection goes: one checked address, never a name. */
export type Target = {
  readonly address: string;
  readonly port: number;
  /** For https, the name that the certificate must be for; empty when the URL names an address. Undefined for http. */
  readonly servername: string | undefined;
};

/** Asks for all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export type Policy = {
  readonly resolve: Resolve;
  readonly allowed: readonly Network[];
  readonly ports: ReadonlySet<number>;
};

const SPACE_OR_CONTROL = /[\x00-\x20\x7f]/;
/** An `@` in the place of the host; `http://@host` has neither user nor password, and is only written to deceive. */
const USERINFO = /^(?:[a-z][a-z0-9+.-]*:[/\\]*|[/\\]{2,})[^/\\?#]*@/i;

/** How many addresses of one name are tried. */
const MAX_ADDRESSES = 4;

/**
 * Reads a URL that may be fetched at all: `address_invalid`, `scheme_refused`, `userinfo_refused`, `port_refused`. The
 * parser has brought every spelling of an address (127.1, 0x7f000001, 017700000001) into the usual one by then.
 */
export function readUrl(text: string, { ports }: Policy, base?: URL): URL {
  // The parser drops control characters and spaces without a word.
  const url = SPACE_OR_CONTROL.test(text) ? null : URL.parse(text, base?.href);
  if (url === null || url.hostname === '')
    throw new EgressError(isOtherScheme(text) ? 'scheme_refused' : 'address_invalid');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new EgressError('scheme_refused');
  if (url.username !== '' || url.password !== '' || USERINFO.test(text)) throw new EgressError('userinfo_refused');
  if (!ports.has(portOf(url))) throw new EgressError('port_refused');
  return url;
}

function isOtherScheme(text: string): boolean {
  const scheme = URL.parse(text)?.protocol;
  return scheme !== undefined && scheme !== 'http:' && scheme !== 'https:';
}

/**
 * The addresses to connect to for a URL, in the resolver's order. When any address of the name is neither public nor
 * allowed, the whole name is `address_refused`; without an address it is `name_unresolved`.
 */
export async function resolveTargets(url: URL, policy: Policy): Promise<Target[]> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = await resolveHost(host, policy);
  const name = parseAddress(host) === undefined ? host.replace(/\.$/, '') : '';
  const servername = url.protocol === 'https:' ? name : undefined;
  return addresses.map((address) => ({ address, port: portOf(url), servername }));
}

/** The addresses of a name, or the address that it is already, under the rules of `resolveTargets`. */
export async function resolveHost(host: string, policy: Pick<Policy, 'resolve' | 'allowed'>): Promise<string[]> {
  const addresses = parseAddress(host) === undefined ? await resolved(host, policy.resolve) : [host];
  if (addresses.length === 0) throw new EgressError('name_unresolved');
  if (!addresses.every((address) => mayConnect(parseAddress(address), policy)))
    throw new EgressError('address_refused');
  return addresses.slice(0, MAX_ADDRESSES);
}

async function resolved(name: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(name);
  } catch (cause) {
    throw new EgressError('name_unresolved', cause);
  }
}

function mayConnect(address: Address | undefined, { allowed }: Pick<Policy, 'allowed'>): boolean {
  return address !== undefined && (isPublic(address) || allowed.some((network) => holds(network, address)));
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
