import { BlockList } from 'node:net';

/** The networks of the fence's own sets, as `deploy/connector-engine/bin/fence` has them and nftables prints them. */
export const FENCE_NETWORKS: Readonly<Record<'never4' | 'never6' | 'kept4' | 'kept6', readonly string[]>> = {
  never4: [
    ...['169.254.0.0/16', '100.100.100.200', '168.63.129.16', '192.0.0.192', '127.0.0.0/8', '0.0.0.0/8'],
    ...['224.0.0.0/4', '255.255.255.255'],
  ],
  never6: [
    ...['fd00:ec2::/32', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42', 'fd00:a9fe:a9fe::1'],
    ...['fd00:100::100:200', 'fe80::/10', '::/96', '::ffff:0.0.0.0/96', 'ff00::/8'],
  ],
  kept4: [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16', '169.254.0.0/16', '172.16.0.0/12'],
    ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16'],
    ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ],
  kept6: ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
};

const NEVER = [...FENCE_NETWORKS.never4, ...FENCE_NETWORKS.never6];
const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/** What one private network is at most: that of a cloud (Amazon gives a /16) and of a site of IPv6 (RFC 4193). */
const WIDEST = { ipv4: 16, ipv6: 48 } as const;
const BITS = { ipv4: 32, ipv6: 128 } as const;

type Family = keyof typeof BITS;
interface Span {
  readonly family: Family;
  readonly first: string;
  /** The end of a range; a network has a prefix. */
  readonly last?: string;
  readonly prefix: number;
}

/** The network that no connector may reach and of which these addresses are a part, or hold one. */
export const neverOf = (addresses: string): string | undefined => NEVER.find((network) => meet(addresses, network));

/** Whether these addresses are more of private networks than one network has. */
export function isWide(addresses: string): boolean {
  const { family, first, last, prefix } = spanOf(addresses);
  const reachesOn = last !== undefined && !listOf({ family, first, prefix: WIDEST[family] }).check(last, family);
  return (reachesOn || prefix < WIDEST[family]) && PRIVATE.some((network) => meet(addresses, network));
}

/** Whether two of what nftables prints for addresses (one, a network, a range) have an address in common. */
export function meet(one: string, other: string): boolean {
  const [a, b] = [spanOf(one), spanOf(other)];
  return a.family === b.family && (listOf(a).check(b.first, b.family) || listOf(b).check(a.first, a.family));
}

function spanOf(text: string): Span {
  const family = text.includes(':') ? 'ipv6' : 'ipv4';
  const [start = '', last] = text.split('-');
  const [first = '', prefix] = start.split('/');
  return { family, first, ...(last === undefined ? {} : { last }), prefix: Number(prefix ?? BITS[family]) };
}

function listOf({ family, first, last, prefix }: Span): BlockList {
  const list = new BlockList();
  if (last === undefined) list.addSubnet(first, prefix, family);
  else list.addRange(first, last, family);
  return list;
}
