const C1 = 0xcc9e2d51;
const C2 = 0x1b873593;

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));
const mix = (block: number): number => Math.imul(rotate(Math.imul(block, C1), 15), C2);

/**
 * The 32-bit Murmur3 hash (x86 variant, seed 0) of some bytes, as a signed integer: the hash of the specification's
 * bucket transform. After Austin Appleby's MurmurHash3.cpp, which is in the public domain.
 */
export function murmur3(bytes: Buffer): number {
  const whole = bytes.length - (bytes.length % 4);
  let hash = 0;
  for (let at = 0; at < whole; at += 4)
    hash = (Math.imul(rotate(hash ^ mix(bytes.readInt32LE(at)), 13), 5) + 0xe6546b64) | 0;
  let tail = 0;
  for (let at = bytes.length - 1; at >= whole; at--) tail = (tail << 8) | bytes[at]!;
  hash ^= mix(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
