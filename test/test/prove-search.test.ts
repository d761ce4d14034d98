import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { type Canary, canary, numberCanary } from '../prove/search/canary.ts';
import { FORMS } from '../prove/search/forms.ts';
import { formsOf, needlesOf, PART_CHARACTERS } from '../prove/search/needles.ts';
import { type Searched, searchBytes } from '../prove/search/search-bytes.ts';

const RUNS = 1_000;
const NUMBER: Canary = { mode: 'legacy_inline', field: '/number', text: numberCanary() };
const CANARIES: readonly Canary[] = [
  canary('legacy_inline', '/password'),
  canary('legacy_inline', '/auth/api_key'),
  canary('secret_store', '/auth/api_key'),
  canary('secret_store', '/tokens/0/value'),
  NUMBER,
  { mode: 'control', field: 'trace', text: randomBytes(16).toString('hex') },
];
const needles = needlesOf(CANARIES.flatMap((one) => formsOf(one)));

/** Searches bytes that come in chunks of these sizes, again and again. */
async function search(bytes: Uint8Array, sizes: readonly number[] = [bytes.length]): Promise<Searched> {
  const searching = searchBytes(needles);
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] || 1;
    await searching.feed(bytes.subarray(at, at + size));
    at += size;
  }
  return searching.end();
}

const around = fc.uint8Array({ maxLength: 600 });
const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 });
const which = fc.constantFrom(...CANARIES);
/** Base64 goes over everything around the canary, whatever its alignment; other forms stand by themselves. */
const written = (form: string, text: string, [before, behind]: readonly [Uint8Array, Uint8Array]) => {
  const whole = Buffer.concat([before, Buffer.from(text), behind]);
  if (form === 'base64' || form === 'base64url') return Buffer.from(whole.toString(form), 'latin1');
  if (form === 'UTF-16BE') return Buffer.concat([before, Buffer.from(text, 'utf16le').swap16(), behind]);
  const encode = FORMS.find(({ name }) => name === form)?.encode ?? Buffer.from;
  return Buffer.concat([before, encode(text), behind]);
};
const NAMES = [...new Set(FORMS.map(({ name }) => name)), 'UTF-16BE'];

t.test('a canary is found in every form, wherever it is and however the bytes come', async (t) => {
  const property = fc.asyncProperty(which, fc.constantFrom(...NAMES), around, around, sizes, async (...given) => {
    const [planted, form, before, behind, chunks] = given;
    const { hits, bytes } = await search(written(form, planted.text, [before, behind]), chunks);
    const whole = hits.filter(({ part }) => !part);
    t.ok(bytes >= planted.text.length);
    return whole.length > 0 && whole.every(({ needle }) => needle.canary === planted);
  });
  await fc.assert(property, { numRuns: RUNS });
});

t.test(
  'a canary is found inside a compressed member, in a member inside that too, and in one that is cut off',
  async () => {
    const property = fc.asyncProperty(
      which,
      fc.constantFrom(...NAMES),
      fc.integer({ min: 1, max: 2 }),
      fc.boolean(),
      around,
      around,
      sizes,
      async (planted, form, depth, cut, before, behind, chunks) => {
        let member = written(form, planted.text, [before, behind]);
        for (let i = 0; i < depth; i += 1) member = gzipSync(Buffer.concat([before, member]));
        if (cut && depth === 1) member = member.subarray(0, member.length - 8);
        const { hits } = await search(Buffer.concat([before, member, behind]), chunks);
        return hits.some(({ needle, part, inGzip }) => needle.canary === planted && !part && inGzip);
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  },
);

t.test('what is left of a canary when its beginning or its end was taken away is found as a part', async () => {
  const plain = NAMES.filter((name) => !name.startsWith('base64'));
  const property = fc.asyncProperty(
    which,
    fc.constantFrom(...plain),
    fc.integer({ min: PART_CHARACTERS, max: 30 }),
    fc.boolean(),
    around,
    async (planted, form, length, head, before) => {
      const text = head ? planted.text.slice(0, length) : planted.text.slice(-length);
      const bytes = written(form, text, [before, before]);
      const { hits } = await search(bytes, [97]);
      // What stands around a part may by chance make it whole again.
      return hits.some(
        ({ part, needle }) => needle.canary.text.includes(text) && part !== bytes.includes(needle.bytes),
      );
    },
  );
  const madeWhole = Buffer.from(NUMBER.text.slice(0, 1));
  await fc.assert(property, { numRuns: RUNS, examples: [[NUMBER, 'raw', NUMBER.text.length - 1, false, madeWhole]] });
});

t.test('in bytes and texts that hold none, none is found', async () => {
  const nothing = fc.oneof(
    fc.uint8Array({ maxLength: 4_000 }),
    fc.string({ maxLength: 2_000 }).map((text) => Buffer.from(text)),
    fc
      .constantFrom('CNRY-', 'CNRY-legacy', 'YRNC', 'Q05SW', '\x1f\x8b\x08\x00')
      .map((text) => Buffer.from(text.repeat(50))),
  );
  const property = fc.asyncProperty(
    nothing,
    sizes,
    async (bytes, chunks) => (await search(bytes, chunks)).hits.length === 0,
  );
  await fc.assert(property, { numRuns: RUNS });
});

t.test('a member that unpacks to more than is looked at is told of, and the memory stays bounded', async (t) => {
  const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024));
  const { hits, leftOut } = await search(bomb, [4_096]);
  t.same(hits, []);
  t.equal(leftOut, 1);
});
