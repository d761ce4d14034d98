import { lookup } from 'node:dns/promises';
import { EgressError } from './egress-error.ts';
import { parseNetwork } from './network.ts';
import { type Resolve, resolveHost } from './target.ts';

/** Who may be reached by a protocol other than HTTP. */
export type HostRules = {
  /** Networks that are not public and may be reached all the same; the operator's word, never the user's. */
  readonly allowPrivate?: readonly string[];
  readonly resolve?: Resolve;
};

const NAME = /^[A-Za-z0-9_.-]{1,253}$|^[0-9A-Fa-f:.]{2,45}$/;

/**
 * The addresses of a host that a user named, for a client that speaks another protocol than HTTP: resolved once and each
 * checked, so that the client connects to one of them and never to the name. `address_invalid` for what is neither a name nor
 * an address, `name_unresolved`, `address_refused` when any address is neither public nor allowed, `setting_invalid`.
 */
export async function hostAddresses(
  host: string,
  { allowPrivate = [], resolve = resolveAll }: HostRules = {},
): Promise<string[]> {
  if (!NAME.test(host)) throw new EgressError('address_invalid');
  return resolveHost(host, { resolve, allowed: allowPrivate.map(parseNetwork) });
}

async function resolveAll(name: string): Promise<string[]> {
  return (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address);
}
