import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { createScrubber, SCRUBBED } from '../src/scrub/scrubber.ts';

const RUNS = cases(1_000);
const secrets = fc
  .string({ minLength: 4, maxLength: 40, unit: 'grapheme' })
  .filter((one) => one.trim() === one && !/^[[{]|\n/.test(one));
const asciiJson = (text: string) =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const goJson = (text: string) =>
  JSON.stringify(text).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
const html = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
const namedHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('é', '&eacute;');
const lowerUrl = (text: string) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase());
const byteEscapes = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const quotedPrintable = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[A-Za-z0-9 ]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
const wrapped = (text: string, width: number, end: string) => text.replace(new RegExp(`.{${width}}`, 'g'), `$&${end}`);
const hexBytes = (text: string) => [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'));
const octal = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => (byte < 0x7f && byte !== 0x5c ? String.fromCharCode(byte) : `\\${byte.toString(8)}`))
    .join('');
const LONG_LEAD = 'a configuration that a connector prints as a whole, '.repeat(3);
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
  'ASCII json in ASCII json': (one) => asciiJson(asciiJson(one)),
  'json of Go': (one) => goJson(one),
  'json of Go in json': (one) => JSON.stringify(goJson(one)),
  html,
  'html with names': namedHtml,
  'json in html': (one) => html(JSON.stringify(one)),
  'url in lower case': lowerUrl,
  'json in a url in lower case': (one) => lowerUrl(goJson(one)),
  'bytes of Python': byteEscapes,
  'ASCII json in ASCII json in base64': (one) => Buffer.from(asciiJson(asciiJson(one))).toString('base64'),
  'json of Go in hex': (one) => Buffer.from(goJson(one)).toString('hex'),
  'base64 in json with escaped slashes': (one) =>
    JSON.stringify(Buffer.from(one).toString('base64')).replaceAll('/', '\\/'),
  'base64 of base64': (one) => Buffer.from(Buffer.from(one).toString('base64')).toString('base64'),
  'base64 of MIME': (one) => wrapped(Buffer.from(`${LONG_LEAD}${one}${LONG_LEAD}`).toString('base64'), 76, '\r\n'),
  'base64 of Python': (one) => wrapped(Buffer.from(`${LONG_LEAD}x${one}${LONG_LEAD}`).toString('base64'), 76, '\n'),
  'base64 of PEM in json': (one) =>
    JSON.stringify(wrapped(Buffer.from(`${LONG_LEAD}${one}${LONG_LEAD}`).toString('base64'), 64, '\n')),
  'base64 of UTF-16': (one) => Buffer.from(`x${one}y`, 'utf16le').toString('base64'),
  'UTF-8 read as Latin-1': (one) => Buffer.from(one).toString('latin1'),
  'UTF-8 read as Windows-1252': (one) => new TextDecoder('windows-1252').decode(Buffer.from(one)),
  'hex with colons': (one) => hexBytes(one).join(':'),
  'hex of a Buffer': (one) => `<Buffer ${hexBytes(one).join(' ')}>`,
  'hex of Go': (one) =>
    `[]byte{${hexBytes(one)
      .map((byte) => `0x${byte}`)
      .join(', ')}}`,
  'bytes of Go': (one) => `[${[...Buffer.from(one)].join(' ')}]`,
  'bytes of Node': (one) => JSON.stringify(Buffer.from(one)),
  'bytes of Node, one a line': (one) => JSON.stringify(Buffer.from(one), undefined, 4),
  octal,
  'quoted-printable': (one) => (quotedPrintable(one).match(/(?:=..|[^=]){1,20}/gs) ?? []).join('=\r\n'),
  SQL: (one) => `'${one.replaceAll("'", "''")}'`,
  CSV: (one) => `"${one.replaceAll('"', '""')}"`,
  shell: (one) => `'${one.replaceAll("'", `'\\''`)}'`,
  'shell of Python': (one) => `'${one.replaceAll("'", `'"'"'`)}'`,
  'decomposed Unicode': (one) => one.normalize('NFD'),
  'composed Unicode': (one) => one.normalize('NFC'),
  'upper case': (one) => one.toUpperCase(),
  'base64, two bytes in': (one) => Buffer.from(`user:${one}`).toString('base64url'),
};

/** Credentials with characters that some writer escapes, or that look like an escape. */
const AWKWARD = ['p&ss<w>ord=1/2+3', 'Pässwörd"é\\n', 'a+b c%20d', '\\%41"x', '&lt;\\u0041;', '100%"\\\\', '🔑&"é\'x'];

for (const [name, spell] of Object.entries(SPELLINGS)) {
  t.test(`a credential that is spelled as ${name} is found and masked, however the text is cut`, async (t) => {
    fc.assert(
      fc.property(
        fc.oneof(secrets, fc.constantFrom(...AWKWARD)),
        fc.lorem(),
        fc.array(fc.nat(200), { maxLength: 6 }),
        (secret, words, cuts) => {
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
        },
      ),
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

t.test('a credential that a text holds twice in one spelling is masked at both places', async (t) => {
  const scrubber = createScrubber(['p&ss<w>ord=1']);
  for (const spelled of ['cCZzczx3Pm9yZD0x', 'p\\u0026ss\\u003cw\\u003eord=1', 'p%26ss%3cw%3eord%3d1'])
    t.equal(scrubber.text(`${spelled} and ${spelled}.`), `${SCRUBBED} and ${SCRUBBED}.`);
});

t.test('a text without a credential stays as it is, escapes and all', async (t) => {
  const text = 'GET /a?b=%26&amp;c="\\u0041" 5 % of \\d, \\x4';
  t.equal(createScrubber(['p&ss<w>ord=1']).text(text), text);
});

/** Processor time of a piece of work, in microseconds. */
function costOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

t.test(
  'a line of escapes that comes as a piece → about what the line alone costs, as it is decoded once',
  async (t) => {
    const scrubber = createScrubber([...AWKWARD, 'Zx-8841-sesame']);
    const escapes = String.raw`{"path":"C:\\temp\x","url":"https://a.example/b?c=%26%20d&e=f&amp;g","t":"caf\u00e9"} `;
    const lines = Array.from({ length: 200 }, (_, at) => `${at} ${escapes.repeat(10)}\n`);
    const alone = () => {
      for (const line of lines) scrubber.text(line);
    };
    const inPieces = () => {
      const pieces = scrubber.pieces();
      for (const line of lines) pieces.push(line);
      pieces.end();
    };
    alone();
    const [whole, pieces] = [costOf(alone), costOf(inPieces)];
    t.ok(pieces < 4 * whole, `${pieces} µs in pieces, ${whole} µs alone`);
  },
);

t.test('Basic authentication of a password in Latin-1 → masked, as Python writes it', async (t) => {
  const scrubber = createScrubber(['Pässwörd-é1']);
  const header = `Authorization: Basic ${Buffer.from('user:Pässwörd-é1', 'latin1').toString('base64')}`;
  t.equal(scrubber.text(header), `Authorization: Basic ${SCRUBBED}==`);
});

t.test('lists of numbers and wrapped words that are no credential → as they are', async (t) => {
  const scrubber = createScrubber(AWKWARD);
  const text = 'ids [12, 13, 14, 115, 101], at 12:30:45 - 0x00, 0xff = 5=3D, a = b\nfeed cafe\n';
  t.equal(scrubber.text(text), text);
  t.equal(scrubber.pieces().push(text), text, 'and a line that is whole waits for no other');
});
