const BLOCK_BYTES = 512;
const CHECKSUM_AT = 148;
const CHECKSUM_CHARS = 8;

/** A tar archive of one program, executable by everyone (POSIX.1-1988, ustar). The name has at most 99 characters. */
export function programTar(name: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0, 'latin1');
  header.write(octal(0o755, 7), 100, 'latin1');
  header.write(octal(0, 7), 108, 'latin1');
  header.write(octal(0, 7), 116, 'latin1');
  header.write(octal(bytes.length, 11), 124, 'latin1');
  header.write(octal(0, 11), 136, 'latin1');
  header.write(' '.repeat(CHECKSUM_CHARS), CHECKSUM_AT, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT, 'latin1');
  const padding = Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES);
  return Buffer.concat([header, bytes, padding, Buffer.alloc(2 * BLOCK_BYTES)]);
}
