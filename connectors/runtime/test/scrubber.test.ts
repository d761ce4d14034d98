import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { createScrubber, SCRUBBED } from '../src/scrubber.ts';

const RUNS = cases(1_000);
const secrets = fc
  .string({ minLength: 4, maxLength: 40, unit: 'grapheme' })
  .filter((one) => one.trim() === one && !/^[[{]|\n/.test(one));
const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  raw: (one) => one,
  json: (one) => JSON.stringify({ one }),
  'json in json': (one) => JSON.stringify(JSON.stringify(one)),
  url: encodeURIComponent,
  form: (one) => new URLSearchParams({ one }).toString(),
  hex: (one) => Buffer.from(one).toString('hex'),
  base64: (one) => Buffer.from(one).toString('base64'),
  'base64, one byte in': (one) => Buffer.from(`x${one}y`).toString('base64'),
  'json in base64': (one) => Buffer.from(JSON.stringify({ one })).toString('base64'),
  'json in a URL': (one) => encodeURIComponent(JSON.stringify({ one })),
  'json in a form': (one) => new URLSearchParams({ all: JSON.stringify({ one }) }).toString(),
  'json in hex': (one) => Buffer.from(JSON.stringify({ one })).toString('hex'),
  'base64, two bytes in': (one) => Buffer.from(`user:${one}`).toString('base64url'),
};

for (const [name, spell] of Object.entries(SPELLINGS)) {
  t.test(`a credential that is spelled as ${name} is found and masked, however the text is cut`, async (t) => {
    fc.assert(
      fc.property(secrets, fc.lorem(), fc.array(fc.nat(200), { maxLength: 6 }), (secret, words, cuts) => {
        const scrubber = createScrubber([secret]);
        const spelled = spell(secret);
        const text = `${words} ${spelled} ${words}`;
        const masked = scrubber.text(text);
        if (!masked.includes(SCRUBBED) || !scrubber.finds(text) || !scrubber.finds(Buffer.from(text))) return false;
        if (scrubber.finds(masked.replaceAll(SCRUBBED, ''))) return false;
        const pieces = scrubber.pieces();
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].sort((a, b) => a - b);
        const shown = places.slice(1).map((place, k) => pieces.push(text.slice(places[k], place)));
        return !scrubber.finds([...shown, pieces.end()].join('').replaceAll(SCRUBBED, '\u0000'));
      }),
      { numRuns: RUNS },
    );
    t.pass('for every secret tried');
  });
}

t.test('the lines of a key and the texts of a JSON document are masked one by one; short values are not', async (t) => {
  const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----';
  const scrubber = createScrubber([JSON.stringify({ type: 'service', private_key: key }), 'abc']);
  t.equal(scrubber.text('line MIIEvQIBADANBgkqhkiG9w0B of it'), `line ${SCRUBBED} of it`);
  t.equal(scrubber.text('abc service'), 'abc service');
  t.equal(createScrubber([]).text('anything'), 'anything');
  t.notOk(createScrubber(['0123456'], 8).finds('0123456'));
});
