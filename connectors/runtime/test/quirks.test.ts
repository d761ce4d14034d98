import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type ConnectorProcess,
  createScrubber,
  createSpool,
  readAnswer,
  readSync,
  streamKey,
} from '@weir/connector-runtime';
import fc from 'fast-check';
import t from 'tap';
import { QUIRKS, type Quirk } from './quirk-fixtures.ts';

const RUNS = 12;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The bytes of a fixture with one kind of line ends, and with a byte order mark or the end of the last line left off. */
const dressed = fc.record({ crlf: fc.boolean(), mark: fc.boolean(), open: fc.boolean() });
type Dress = { crlf: boolean; mark: boolean; open: boolean };

function bytesOf({ lines }: Quirk, { crlf, mark, open }: Dress): Buffer {
  const end = crlf ? '\r\n' : '\n';
  const text = Buffer.from(lines.join(end) + (open ? '' : end));
  return mark ? Buffer.concat([MARK, text]) : text;
}

/** Cut in places that are shares of the whole. */
function cut(bytes: Buffer, shares: readonly number[]): Buffer[] {
  const places = [...new Set(shares.map((share) => Math.floor(share * bytes.length)))].toSorted((a, b) => a - b);
  return [0, ...places]
    .map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
    .filter((one) => one.length > 0);
}

function saying(
  chunks: readonly Buffer[],
  { exit, stderr = '' }: Pick<Quirk, 'exit' | 'stderr'> = {},
): ConnectorProcess {
  const end = { code: 0, signal: undefined, oomKilled: false, stopped: false, ...exit };
  const stop = async () => ({ ...end, stopped: true });
  const stdout = Readable.from(chunks);
  return { name: 'fixture', pid: undefined, stdout, stderrTail: () => stderr, exit: Promise.resolve(end), stop };
}

/** What comes of each stream, and every row that is kept. */
async function read(quirk: Quirk, chunks: readonly Buffer[]) {
  const dir = await mkdtemp(join(tmpdir(), 'quirks-'));
  try {
    const spool = createSpool({ dir });
    const names = Object.keys(quirk.comes);
    const streams = names.map((name) => ({ name }));
    const came = new Map(
      names.map((name) => [streamKey({ name }), { rows: 0, state: undefined as string | undefined }]),
    );
    let text = '';
    const consumed = (async () => {
      for await (const segment of spool.segments()) {
        const stream = came.get(segment.stream);
        if (segment.path !== undefined) text += await readFile(segment.path, 'utf8');
        if (stream !== undefined)
          Object.assign(stream, { rows: stream.rows + segment.lines, state: segment.state ?? stream.state });
        segment.release();
      }
    })();
    const said: unknown[] = [];
    const onSaid = (one: unknown) => void said.push(one);
    const reading = await readSync({ connector: saying(chunks, quirk), streams, spool, onSaid });
    await consumed;
    const outcome = (key: string) => {
      const verdict = reading.streams.get(key)?.verdict;
      return verdict?.outcome === 'failure' ? verdict.code : verdict?.outcome;
    };
    const comes = names.map((name) => {
      const key = streamKey({ name });
      const { rows = 0, state } = came.get(key) ?? {};
      return [name, [outcome(key), rows, ...(state === undefined ? [] : [state])]];
    });
    const verdicts = [...reading.streams.values()].map(({ verdict }) => verdict);
    return { comes: Object.fromEntries(comes), text, said: JSON.stringify(said), verdicts: JSON.stringify(verdicts) };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

for (const quirk of QUIRKS) {
  t.test(`however it is cut: ${quirk.name}`, async () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(dressed, shares, async (dress, places) => {
        const { comes, text, said, verdicts } = await read(quirk, cut(bytesOf(quirk, dress), places));
        assert.deepEqual(comes, quirk.comes);
        for (const held of quirk.holds ?? []) assert.ok(text.includes(held));
        if (quirk.tells === undefined) return;
        assert.ok(said.includes(quirk.tells), 'the connector did tell it');
        assert.ok(!createScrubber([quirk.tells]).text(said).includes(quirk.tells));
        assert.ok(!verdicts.includes(quirk.tells));
      }),
      { numRuns: quirk.runs ?? RUNS },
    );
  });
}

t.test('a last line that breaks off is an output that was cut off', async (t) => {
  const [good] = QUIRKS.filter(({ name }) => name.startsWith('a connector without states'));
  if (good === undefined) return t.fail('the fixture is gone');
  const whole = bytesOf(good, { crlf: false, mark: false, open: false });
  const torn = Buffer.concat([whole, Buffer.from('{"type":"RECORD","record":{"stream":"users","da')]);
  t.match((await read(good, [torn])).comes, { users: ['output_truncated'] });
});

t.test('a spec that is none is told by name', async (t) => {
  const good = [{}, { type: 'object', properties: {} }, { type: ['object', 'null'] }, { oneOf: [] }];
  const bad = [undefined, null, [], 'x', { type: 'string' }, { properties: [] }, { properties: null }];
  const answer = (connectionSpecification: unknown) =>
    readAnswer(saying([Buffer.from(JSON.stringify({ type: 'SPEC', spec: { connectionSpecification } }))]), 'SPEC');
  for (const schema of good) t.match(await answer(schema), { ok: true });
  for (const schema of bad) t.match(await answer(schema), { ok: false, failure: { code: 'connector_spec_invalid' } });
});

t.test('an answer may come behind anything, and nothing at all is told by the end of stderr', async (t) => {
  const lines = [
    '{"type":"LOG","log":{"level":"INFO","message":"first"}}',
    'text',
    '{"type": "SPEC", "spec": {"connectionSpecification": {}}}',
  ];
  t.match(await readAnswer(saying([Buffer.from(`${lines.join('\r\n')}`)]), 'SPEC'), { ok: true });
  const silent = saying([], { exit: { code: 1 }, stderr: 'Traceback' });
  t.match(await readAnswer(silent, 'CATALOG'), { ok: false, failure: { code: 'connector_failed' } });
  t.equal(silent.stderrTail(), 'Traceback');
});
