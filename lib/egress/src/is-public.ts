import { type Address, holds, parseNetwork } from './network.ts';

/** What IANA's registry of special-purpose addresses keeps from the public IPv4 internet, and multicast. */
const NOT_PUBLIC_4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers (CGNAT)
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's own service to its machines
  '169.254.0.0/16', // link-local, the metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
].map(parseNetwork);

/**
 * All public IPv6 addresses lie here. Outside are loopback, `::/96`, the mapped `::ffff:0:0/96`, NAT64 `64:ff9b::/96`,
 * `fc00::/7`, `fe80::/10`, `fec0::/10` and `ff00::/8`.
 */
const GLOBAL_UNICAST_6 = parseNetwork('2000::/3');
const NOT_PUBLIC_6 = [
  '2001::/23', // protocol assignments, Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: carries any IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map(parseNetwork);

/** Whether an address belongs to the public internet; whatever merely embeds another address does not. */
export function isPublic(address: Address): boolean {
  if (address.family === 4) return !NOT_PUBLIC_4.some((network) => holds(network, address));
  return holds(GLOBAL_UNICAST_6, address) && !NOT_PUBLIC_6.some((network) => holds(network, address));
}
