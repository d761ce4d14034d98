import { isIP } from 'node:net';
import { EgressError } from './egress-error.ts';

/** An IP address as a number of 32 or 128 bits. */
export type Address = { readonly family: 4 | 6; readonly value: bigint };
/** The addresses that share the first `prefix` bits of `base`. */
export type Network = { readonly base: Address; readonly prefix: number };

const BITS = { 4: 32, 6: 128 } as const;

/** Reads an IP address in its usual text form; undefined for anything else, a zone id (`%eth0`) included. */
export function parseAddress(text: string): Address | undefined {
  if (text.includes('%')) return undefined;
  switch (isIP(text)) {
    case 4:
      return { family: 4, value: joined(text.split('.').map(Number), 8n) };
    case 6:
      return { family: 6, value: joined(groupsOf(text), 16n) };
    default:
      return undefined;
  }
}

/** Reads `address/prefix`, or a lone address as a network of one; `setting_invalid` for anything else. */
export function parseNetwork(text: string): Network {
  const [address = '', prefix, ...more] = text.split('/');
  const base = parseAddress(address);
  if (base === undefined || more.length > 0) throw new EgressError('setting_invalid');
  if (prefix === undefined) return { base, prefix: BITS[base.family] };
  const bits = Number(prefix);
  if (!/^\d{1,3}$/.test(prefix) || bits > BITS[base.family]) throw new EgressError('setting_invalid');
  return { base, prefix: bits };
}

/** Whether the network holds the address. The families are apart: an IPv4-mapped address is one of IPv6. */
export function holds({ base, prefix }: Network, { family, value }: Address): boolean {
  const rest = BigInt(BITS[family] - prefix);
  return base.family === family && base.value >> rest === value >> rest;
}

function joined(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) | BigInt(part), 0n);
}

/** The eight groups of a valid IPv6 text, `::` filled up and a dotted tail as two groups. */
function groupsOf(text: string): number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const [a = 0, b = 0, c = 0, d = 0] = (dotted ?? []).slice(1).map(Number);
  const tail = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const plain = dotted === null ? text : text.slice(0, dotted.index) + tail;
  const [head = '', rest] = plain.split('::');
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  if (rest === undefined) return numbers(head);
  const fill = 8 - numbers(head).length - numbers(rest).length;
  return [...numbers(head), ...Array.from({ length: fill }, () => 0), ...numbers(rest)];
}
