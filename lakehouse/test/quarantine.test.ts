import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { createStager, createTable, currentSchema, localFileIO, QUARANTINE_COLUMNS } from '../src/index.ts';

t.test('a quarantine file is written with every line that was rejected, or not at all', async (t) => {
  const root = t.testdir();
  const io = localFileIO({ root });
  const stager = await createStager({ io, scratch: join(root, 'scratch') });
  t.teardown(() => stager.close());
  const { metadata } = await createTable({ io, location: `file://${root}/q`, columns: QUARANTINE_COLUMNS });
  const path = join(root, 'rejected.ndjson');
  const line = { position: 1, reason: 'key_missing', raw: Buffer.from('{}').toString('base64') };
  await writeFile(path, `${JSON.stringify(line)}\n`);
  const folder = `${metadata.location}/data/x`;
  const quarantine = (count: number) =>
    stager.quarantine({
      rejected: [{ path, count, reasons: { key_missing: count } }],
      ...{ schema: currentSchema(metadata), folder, runId: 'r', stream: 's' },
    });
  const files = async () => {
    const found: string[] = [];
    for await (const { location } of io.list(folder)) found.push(location);
    return found;
  };
  await t.rejects(quarantine(2), { code: 'lines_lost' });
  t.strictSame(await files(), []);
  const file = await quarantine(1);
  t.equal(file?.record_count, '1', 'the lines were kept for another try');
  t.strictSame(await files(), [file?.location]);
});
