import { randomBytes } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import t from 'tap';
import { pagePacker } from '../src/index.ts';
import { packedPage } from './packed-page.ts';

const LARGE = 6 * 1024 * 1024;

t.test(
  'pages that share a packer unpack each to its own values, empty ones and those larger than its memory too',
  async (t) => {
    const packer = pagePacker();
    t.teardown(packer.close);
    const pages = [0, 1, 100_000, LARGE, 0, 3, LARGE, 70_000].map((bytes) => ({
      values: Buffer.concat([Buffer.alloc(bytes, 'same'), randomBytes(bytes)]),
      ...{ nulls: bytes & 1, present: bytes === 3 ? Buffer.from([0b101]) : undefined },
      ...(bytes === 100_000 ? { dictionary: { count: 2, values: Buffer.from('its own') } } : {}),
    }));
    const packed = await Promise.all(pages.map((page) => packer.pack(3, page)));
    for (const [index, page] of pages.entries()) {
      const { values, dictionary, ...facts } = packed[index] ?? packedPage(0, page);
      const { values: alone, dictionary: known, ...expected } = packedPage(3, page);
      t.ok(zstdDecompressSync(values).equals(page.values));
      t.ok(zstdDecompressSync(alone).equals(page.values));
      t.same(facts, expected);
      t.equal(dictionary?.count, known?.count);
      if (dictionary) t.equal(String(zstdDecompressSync(dictionary.values)), 'its own');
    }
  },
);

t.test('a packer that is closed says so to who waits for a page', async (t) => {
  const packer = pagePacker();
  packer.close();
  await t.rejects(packer.pack(1, { values: Buffer.from('1'), nulls: 0, present: undefined }));
});
