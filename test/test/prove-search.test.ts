import { createHash, createHmac, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { createLedger } from '../prove/look.ts';
import { type Canary, canary, numberCanary } from '../prove/search/canary.ts';
import { ALGORITHMS, createDigests, SPELLINGS } from '../prove/search/digests.ts';
import { FORMS } from '../prove/search/forms.ts';
import { textsOf, textsOfRequest } from '../prove/search/likely-texts.ts';
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

/** A request that holds a canary, and digests of it that a program may have kept. */
const planted = CANARIES[0] as Canary;
const BODY = { pattern_id: 'p', name: 'n', source_config: { auth: { key: `${planted.text}"\u00fc` } } };
const REQUEST = { method: 'POST', url: '/api/v1/sources', operation: 'sources.create', body: JSON.stringify(BODY) };
const HASHED: Readonly<Record<string, string>> = {
  'the value': planted.text,
  'the value as a line': `${planted.text}\n`,
  'the value as JSON': JSON.stringify(planted.text),
  'what stands in the field': BODY.source_config.auth.key,
  'one member': JSON.stringify(BODY.source_config.auth),
  'the body': REQUEST.body,
  'the body in order': JSON.stringify({ name: 'n', pattern_id: 'p', source_config: BODY.source_config }),
  'operation, address and body': `sources.create\n/api/v1/sources\n${REQUEST.body}`,
  'method, address and body as a list': JSON.stringify(['POST', '/api/v1/sources', BODY]),
};
const digests = createDigests();
for (const text of [...textsOf(planted.text), ...textsOfRequest(REQUEST)])
  if (text.includes(planted.text)) digests.add(planted, text);

t.test('a digest of a canary, or of what holds it, is found whole and as a part, however it is written', async (t) => {
  const found = async (bytes: Buffer, chunks: readonly number[]) => {
    const searching = searchBytes({ ...needles, digests });
    for (let at = 0, i = 0; at < bytes.length; i += 1) {
      const size = chunks[i % chunks.length] || 1;
      await searching.feed(bytes.subarray(at, at + size));
      at += size;
    }
    return (await searching.end()).hits;
  };
  for (const [what, text] of Object.entries(HASHED))
    for (const algorithm of ALGORITHMS)
      for (const { name, write, least } of SPELLINGS) {
        const written = write(createHash(algorithm).update(text).digest());
        const form = `${algorithm}, ${name}`;
        const [before, behind] = [randomBytes(13), randomBytes(200)];
        const whole = await found(Buffer.concat([before, written, behind]), [7, 64, 1000]);
        // What is written alike has one name.
        const isAlike = (one: string) => one === form || (one.startsWith(algorithm) && name.startsWith('base64'));
        const isWhole = whole.some(({ needle, part, offset }) => isAlike(needle.form) && !part && offset === 13);
        const part = await found(Buffer.concat([before, written.subarray(0, least)]), [5]);
        if (!isWhole) t.fail(`${form} of ${what} is not found`);
        if (!part.some((hit) => isAlike(hit.needle.form))) t.fail(`the beginning of ${form} of ${what} is not found`);
      }
  const others = Buffer.concat([
    randomBytes(4096),
    Buffer.from(randomBytes(4096).toString('hex')),
    Buffer.from(createHash('sha256').update(`${planted.text}x`).digest('hex')),
    createHmac('sha256', 'a key').update(planted.text).digest(),
  ]);
  t.same(await found(others, [100]), [], 'other digests, and those with a key, are none');
});

t.test('a fingerprint without a key in a column → a finding that names column, field and digest', async (t) => {
  const ledger = createLedger();
  ledger.plant(planted);
  ledger.hashed(textsOfRequest(REQUEST));
  const fingerprint = createHash('sha256').update(`sources.create\n/api/v1/sources\n${REQUEST.body}`).digest('hex');
  await ledger.look('database').bytes('kernel.idempotency_key.fingerprint', `1\n${fingerprint}\n2`);
  t.match(ledger.looked('database').findings, [
    { where: 'kernel.idempotency_key.fingerprint', canary: { field: planted.field }, form: 'sha256, hex', part: false },
  ]);
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
