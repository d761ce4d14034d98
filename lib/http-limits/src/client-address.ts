import { BlockList, isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A list of trusted proxies that is none; the message says what is expected. */
export class ProxiesError extends Error {
  override readonly name = 'ProxiesError';
}

/** Peers that are named in the log, each once. */
const MAX_WARNED = 20;

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Whether an address is of one of these networks, CIDR by commas; all addresses are no network. Throws `ProxiesError`. */
export function trustedProxies(text: string): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of text.split(',').flatMap((part) => part.trim() || [])) {
    const [, address = '', bits = '0'] = /^([0-9a-f.:]+)\/([1-9][0-9]*)$/i.exec(network) ?? [];
    try {
      trusted.addSubnet(address, Number(bits), familyOf(address));
    } catch {
      throw new ProxiesError('must list networks, such as 10.1.0.0/16,2001:db8::/64');
    }
  }
  return (address) => isIP(address) > 0 && trusted.check(address, familyOf(address));
}

/** Where a call came from: what the nearest proxies that are trusted say of it, when that is an address, else the peer. */
export function clientAddress({ ip, socket }: FastifyRequest): string {
  return isIP(ip) > 0 && !ip.includes('%') ? ip : (socket.remoteAddress ?? '');
}

/** The address, or the first 64 bits of one of IPv6: its owner has all of them. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const between = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...between, ...after].slice(0, 4).join(':');
}

/** Warns of each peer that forwards calls of others and is no trusted proxy: all its callers count as one address. */
export function warnOfForwarders(app: FastifyInstance, isProxy: (address: string) => boolean): void {
  const warned = new Set<string>();
  app.addHook('onRequest', async ({ headers, socket: { remoteAddress: peer = '' }, log }) => {
    if (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined) return;
    if (warned.size >= MAX_WARNED || warned.has(peer) || isProxy(peer)) return;
    warned.add(peer);
    log.warn({ peer }, 'forwarded headers of an untrusted peer are ignored; if it is yours, set WEIR_TRUSTED_PROXIES');
  });
}
