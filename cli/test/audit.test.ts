import { createHash } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { BREAKS, type Break, checkChain, type Head, type Link } from '../src/commands/operate/audit-chain.ts';
import { commandLine } from './command-line.ts';
import { fakeApi } from './fake-api.ts';

const GENESIS = '0'.repeat(64);
const RUNS = 1_000;

function chainOf(records: readonly string[]): Link[] {
  let previous = GENESIS;
  return records.map((record, at) => {
    const previous_hash = previous;
    previous = createHash('sha256').update(`${previous}${record}`).digest('hex');
    return { seq: String(at + 1), previous_hash, record, hash: previous };
  });
}

const headOf = (chain: readonly Link[]): Head => chain.at(-1) ?? { seq: '0', hash: GENESIS };

function firstBreak(chain: readonly Link[], head: Head, anchor?: string): Break | undefined {
  const check = checkChain(head, anchor);
  for (const link of chain) {
    const found = check.add(link);
    if (found !== undefined) return found;
  }
  return check.end();
}

const records = (least: number) =>
  fc.array(fc.record({ action: fc.string(), status: fc.nat(599) }), { minLength: least, maxLength: 12 });
const texts = (values: object[]) => values.map((value) => JSON.stringify(value));

t.test(
  'a chain as it was written is intact, with any of its hashes as an anchor and with events after the head',
  async (t) => {
    const law = fc.property(records(1), fc.nat(), (values, at) => {
      const chain = chainOf(texts(values));
      const known = chain.slice(0, (at % chain.length) + 1);
      const found = firstBreak(chain, headOf(known), headOf(known).hash);
      if (found !== undefined) throw new Error(JSON.stringify(found));
    });
    t.doesNotThrow(() => fc.assert(law, { numRuns: RUNS }));
    t.equal(firstBreak([], { seq: '0', hash: GENESIS }), undefined);
  },
);

t.test('one byte changed anywhere in a chain is found at that link', async (t) => {
  const place = fc.record({
    field: fc.constantFrom('seq', 'previous_hash', 'record', 'hash'),
    byte: fc.nat(),
    by: fc.integer({ min: 1, max: 127 }),
  });
  const law = fc.property(records(1), fc.nat(), place, (values, at, { field, byte, by }) => {
    const chain = chainOf(texts(values));
    const head = headOf(chain);
    const link = chain[at % chain.length] as Link;
    const bytes = Buffer.from(link[field as keyof Link]);
    const spot = byte % bytes.length;
    bytes[spot] = (bytes[spot] ?? 0) ^ by;
    chain[Number(link.seq) - 1] = { ...link, [field]: bytes.toString('latin1') };
    const found = firstBreak(chain, head);
    if (found?.seq !== link.seq) throw new Error(`${field} of ${link.seq}: ${JSON.stringify(found)}`);
  });
  t.doesNotThrow(() => fc.assert(law, { numRuns: RUNS }));
});

/** What may be done to the events of a chain at a place, and the number that is then the first wrong one. */
const HARMS: Readonly<Record<string, (chain: Link[], at: number) => number>> = {
  delete(chain, at) {
    chain.splice(at, 1);
    return at + 1;
  },
  insert(chain, at) {
    chain.splice(at, 0, { ...(chain[at] as Link), record: '{"forged":true}' });
    return at + 1;
  },
  repeat(chain, at) {
    chain.splice(at, 0, chain[at] as Link);
    return at + 2;
  },
  swap(chain, at) {
    const first = Math.max(at, 1) - 1;
    chain.splice(first, 2, ...chain.slice(first, first + 2).toReversed());
    return first + 1;
  },
  cut(chain, at) {
    chain.splice(at);
    return at + 1;
  },
};

t.test('an event left out, put in, put twice or moved is found at its place, and so is a cut-off tail', async (t) => {
  const law = fc.property(records(2), fc.nat(), fc.constantFrom(...Object.keys(HARMS)), (values, pick, kind) => {
    const chain = chainOf(texts(values));
    const head = headOf(chain);
    const wrong = HARMS[kind]?.(chain, pick % chain.length);
    const found = firstBreak(chain, head);
    if (found?.seq !== String(wrong)) throw new Error(`${kind}: ${JSON.stringify(found)}, not ${wrong}`);
  });
  t.doesNotThrow(() => fc.assert(law, { numRuns: RUNS }));
});

t.test('a chain that was written anew as a whole is told by a hash that was kept', async (t) => {
  const kept = headOf(chainOf(['{"a":1}', '{"a":2}'])).hash;
  const forged = chainOf(['{"a":1}', '{"a":3}', '{"a":4}']);
  t.equal(firstBreak(forged, headOf(forged)), undefined, 'nothing within it shows that');
  t.strictSame(firstBreak(forged, headOf(forged), kept), { seq: null, reason: 'anchor' });
});

t.test('audit verify reads page by page, prints the head, and ends with 1 at the first broken link', async (t) => {
  const chain = chainOf(Array.from({ length: 5 }, (_, n) => `{"n":${n}}`));
  const served = { items: chain, head: headOf(chain) };
  const answer = ({ url }: { url: URL }) => {
    const from = Number(url.searchParams.get('page_token') ?? 0);
    t.match(Object.fromEntries(url.searchParams), { order: 'seq', limit: '500' });
    const next_page_token = from + 2 < served.items.length ? String(from + 2) : null;
    return {
      status: 200,
      body: { ...served, items: served.items.slice(from, from + 2), next_page_token, total: null },
    };
  };
  const api = await fakeApi(t, { 'GET /api/v1/audit': answer, 'GET /api/v1/audit/platform': answer });
  const { weir } = commandLine(t);
  const verify = (line = '') => weir(`audit verify ${line} --url ${api.url}`.split(' ').filter(Boolean));
  const { hash } = headOf(chain);
  t.match(await verify(), {
    code: 0,
    stdout: new RegExp(`^verdict +intact\nevents +5\nhead_seq +5\nhead_hash +${hash}\n`),
  });
  t.match(await verify(`--platform --anchor ${hash}`), { code: 0 });
  t.match(await verify('--anchor abc'), { code: 2 });
  t.match(await verify(`--anchor ${'1'.repeat(64)}`), { code: 1, stderr: `The anchor: ${BREAKS.anchor}.\n` });
  served.items = chain.with(3, { ...(chain[3] as Link), record: '{"n":9}' });
  t.match(await verify('-o json'), { code: 1, stdout: /"broken": \{\s+"seq": "4",\s+"reason": "changed"/ });
  served.items = chain.slice(0, 3);
  t.match(await verify(), { code: 1, stderr: `Event 4: ${BREAKS.cut}.\n` });
});
