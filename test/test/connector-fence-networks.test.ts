import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { test } from 'tap';
import { FENCE_NETWORKS, isWide, meet } from '../../cli/src/connectors/engine/fence-networks.ts';
import { isPublic } from '../../lib/egress/src/is-public.ts';
import { type Address, holds, type Network, parseNetwork } from '../../lib/egress/src/network.ts';

const FENCE = path.resolve(import.meta.dirname, '../../deploy/connector-engine/bin/fence');
const RUNS = 1_000;

/** As nftables prints a network: one address without its length, and one of IPv4 inside IPv6 with dots. */
const asPrinted = (network: string) => network.replace(/(\.\d+)\/32$|\/128$/, '$1').replace('ffff:0:0', 'ffff:0.0.0.0');

async function setOf(name: string): Promise<string[]> {
  const text = (await readFile(FENCE, 'utf8')).replaceAll('\\\n', '');
  const elements = new RegExp(`set ${name} \\{[^=]*= \\{([^}]*)\\}`).exec(text)?.[1] ?? '';
  const variable = /\$(\w+)/.exec(elements)?.[1];
  const list = variable === undefined ? elements : (new RegExp(`^${variable}="(.*)"$`, 'm').exec(text)?.[1] ?? '');
  return list.split(',').map((element) => element.trim());
}

const [BITS_4, BITS_6] = [32, 128];
const bitsOf = (family: 4 | 6) => (family === 4 ? BITS_4 : BITS_6);

const GLOBAL_6 = parseNetwork('2000::/3');

/** The first address of a network, and the last. */
function endsOf({ base, prefix }: Network): [first: bigint, last: bigint] {
  const size = 1n << BigInt(bitsOf(base.family) - prefix);
  const first = base.value - (base.value % size);
  return [first, first + size - 1n];
}

const haveInCommon = (one: Network, other: Network) => holds(one, other.base) || holds(other, one.base);

function textOf({ family, value }: Address): string {
  const [count, bits, radix, mark] = family === 4 ? [4, 8n, 10, '.'] : [8, 16n, 16, ':'];
  const part = (index: number) => (value >> (bits * BigInt(count - 1 - index))) & ((1n << bits) - 1n);
  return Array.from({ length: count }, (_, index) => part(index).toString(radix)).join(mark);
}

/** Addresses at, in and beside the networks of the fence, and anywhere else. */
async function addressNear(): Promise<fc.Arbitrary<Address>> {
  const sets = await Promise.all(['never4', 'never6', 'kept4', 'kept6'].map(setOf));
  const known = [...sets.flat().map(parseNetwork), GLOBAL_6];
  const anywhere = (family: 4 | 6) =>
    fc.bigInt(0n, (1n << BigInt(bitsOf(family))) - 1n).map((value): Address => ({ family, value }));
  const beside = fc.constantFrom(...known).chain((network) => {
    const { family } = network.base;
    const [first, last] = endsOf(network);
    const top = 1n << BigInt(bitsOf(family));
    const edges = [first - 1n, first, last, last + 1n].filter((edge) => edge >= 0n && edge < top);
    return fc.constantFrom(...edges).map((value): Address => ({ family, value }));
  });
  return fc.oneof(beside, anywhere(4), anywhere(6));
}

/** A network as text, by an address in it. */
const networkNear = (address: fc.Arbitrary<Address>) =>
  address.chain((one) => fc.nat(bitsOf(one.family)).map((prefix) => `${textOf(one)}/${prefix}`));

test('the fence keeps the same addresses from connectors that the egress client keeps from everybody', async (t) => {
  const four = (await setOf('kept4')).map(parseNetwork);
  const six = (await setOf('kept6')).map(parseNetwork);
  t.ok(four.length > 10 && six.length > 3);
  const kept = (address: Address) =>
    address.family === 4
      ? four.some((network) => holds(network, address))
      : !holds(GLOBAL_6, address) || six.some((network) => holds(network, address));
  fc.assert(
    fc.property(await addressNear(), (one) => kept(one) === !isPublic(one)),
    { numRuns: RUNS },
  );
});

test('the doctor knows the networks of the fence', async (t) => {
  for (const [name, networks] of Object.entries(FENCE_NETWORKS))
    t.strictSame(networks, (await setOf(name)).map(asPrinted), name);
});

test('the doctor knows when two networks, or ranges, have an address in common, and what is more than one network', async (t) => {
  const address = await addressNear();
  const network = networkNear(address);
  fc.assert(
    fc.property(network, network, (a, b) => meet(a, b) === haveInCommon(parseNetwork(a), parseNetwork(b))),
    { numRuns: RUNS },
  );
  fc.assert(
    fc.property(address, address, network.map(parseNetwork), (a, b, other) => {
      const [from, to] = a.value < b.value ? [a, b] : [b, a];
      fc.pre(a.family === b.family && a.value !== b.value);
      const { family } = other.base;
      const [first, last] = endsOf(other);
      const isShared = family === a.family && first <= to.value && last >= from.value;
      // As nftables prints it: by its first address.
      return meet(`${textOf(from)}-${textOf(to)}`, `${textOf({ family, value: first })}/${other.prefix}`) === isShared;
    }),
    { numRuns: RUNS },
  );
  for (const one of ['10.0.0.0/15', '172.16.0.0/12', '100.64.0.0/10', '8.0.0.0/6', 'fd12::/47', '10.0.0.1-10.1.0.1'])
    t.equal(isWide(one), true, one);
  for (const one of ['10.1.0.0/16', '10.1.2.3', '192.168.0.0/16', '8.0.0.0/8', 'fd12::/48', '10.0.0.1-10.0.9.9'])
    t.equal(isWide(one), false, one);
});

/** The lines that the fence refuses, each with what it says of it; where it refuses none, there is no nft that makes it. */
function linesRefused(folder: string, lines: readonly string[]): Map<number, string> {
  const file = path.join(folder, 'allowed');
  writeFileSync(file, lines.join('\n'));
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const { status, stderr } = spawnSync('sh', [FENCE, 'up', 'root', file, '/dev/null'], { encoding: 'utf8', env });
  const said = [...stderr.matchAll(/^fence: \S+ line (\d+): (.*)$/gm)];
  if (status !== (said.length > 0 ? 1 : 0)) throw new Error(`the fence ended with ${status}: ${stderr}`);
  return new Map(said.map(([, line, what = '']) => [Number(line), what]));
}

const BATCHES = 25;
const MAX_LINES = 60;

test('the fence refuses each line that is no network or opens an address that must not be reached, and no other', async (t) => {
  const never = [...(await setOf('never4')), ...(await setOf('never6'))].map(parseNetwork);
  const folder = t.testdir({ nft: '#!/bin/sh\nexec cat >/dev/null\n' });
  chmodSync(path.join(folder, 'nft'), 0o755);
  const isOpen = (text: string) => {
    try {
      const network = parseNetwork(text);
      return !never.some((one) => haveInCommon(one, network));
    } catch {
      return false;
    }
  };
  const spelled = fc.oneof(fc.ipV4(), fc.ipV4Extended(), fc.ipV6());
  const prefixed = fc.tuple(spelled, fc.nat(BITS_6 + 1)).map((parts) => parts.join('/'));
  const line = fc.oneof(networkNear(await addressNear()), spelled, prefixed);
  const lines = fc.array(line, { minLength: MAX_LINES, maxLength: MAX_LINES });
  fc.assert(
    fc.property(lines, (all) => {
      const refused = linesRefused(
        folder,
        all.map((one) => `${one} 5432`),
      );
      return all.every((one, index) => refused.has(index + 1) !== isOpen(one));
    }),
    { numRuns: BATCHES },
  );
  const said: readonly (readonly [line: string, said: RegExp | undefined])[] = [
    ['0.0.0.0/0 80', /^0\.0\.0\.0\/0 opens addresses of 169\.254\.0\.0\/16, .*write the address of the source/],
    ['169.254.169.254 80 # metadata', /opens addresses of 169\.254\.0\.0\/16, which no connector may reach/],
    ['fd00::/8 5432', /opens addresses of fd00:ec2::\/32/],
    ['::FFFF:10.0.0.1 5432', /opens addresses of ::ffff:0:0\/96/],
    ['127.0.0.1 5432', /opens addresses of 127\.0\.0\.0\/8/],
    ['0251.0376.0251.0376 80', /is neither an address nor a network/],
    ['10.0.0.0/08 80', /is neither an address nor a network/],
    ['db.example.org 5432', /is neither an address nor a network/],
    ['10.0.0.1-10.0.0.9 5432', /is neither an address nor a network/],
    ['10.0.0.1 65536', /65536 is no port/],
    ['10.0.0.1 080', /080 is no port/],
    ['10.0.0.1 5432 tcp', /more than an address and a port/],
    ['10.0.0.1 postgres', /has no port/],
    ['  # only words', undefined],
    ['10.1.2.3/32 5432', undefined],
    ['10.0.0.0/8 5432 # wide, and private', undefined],
    ['100.64.0.1\t443', undefined],
    ['fd12:3456:789a::/48 5432', undefined],
    ['64:ff9b::/96 443', undefined],
  ];
  const refused = linesRefused(
    folder,
    said.map(([text]) => text),
  );
  said.forEach(([text, what], index) => {
    if (what === undefined) t.equal(refused.get(index + 1), undefined, text);
    else t.match(refused.get(index + 1), what, text);
  });
});
