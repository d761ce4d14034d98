import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import t from 'tap';
import { createStager, createTable, currentSchema, localFileIO, QUARANTINE_COLUMNS } from '../src/index.ts';

/** More than one data file holds, of lines that no compression makes smaller. */
const [LINES, LINE_BYTES] = [6000, 25_000];

t.test('a segment whose lines are all rejected goes to quarantine whole, however large', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-quarantine-'));
  const io = localFileIO({ root });
  const stager = await createStager({ io, scratch: join(root, 'scratch') });
  t.teardown(async () => {
    stager.close();
    await rm(root, { recursive: true, force: true });
  });
  const { metadata } = await createTable({ io, location: `file://${root}/q`, columns: QUARANTINE_COLUMNS });
  const path = join(root, 'rejected.ndjson');
  function* lines() {
    for (let position = 0; position < LINES; position += 1) {
      const raw = randomBytes(LINE_BYTES).toString('base64');
      yield `${JSON.stringify({ position, reason: 'key_missing', raw })}\n`;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path));
  const file = await stager.quarantine({
    rejected: [{ path, count: LINES, reasons: { key_missing: LINES } }],
    schema: currentSchema(metadata),
    folder: `${metadata.location}/data/x`,
    runId: 'r',
    stream: 's',
  });
  t.equal(file?.record_count, String(LINES));
});
