import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileStem, getSyncStatus, type SyncRunDetailView, uploadName } from '@weir/plugin-sources/contract';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { discovered, enableAll, filesSource, ok, synced, testPlatform } from '../../plugins/sources/test/platform.ts';
import { inLane } from '../../test/lane.ts';
import { commandLine } from './command-line.ts';
import { type GeneratedFile, generatedFolder } from './generated-folder.ts';

const FOLDERS = inLane('accounts') ? 200 : 6;
const SEED = 38;

const platform = await testPlatform(t);
const api = await platform.as('acme');
await platform.startWorker();
const env = { WEIR_URL: platform.url, WEIR_TENANT: 'acme', WEIR_TOKEN: await platform.token('acme') };
const { weir } = commandLine(t);

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
const named = (files: readonly GeneratedFile[], ...fates: GeneratedFile['fate'][]) =>
  files.flatMap(({ name, fate }) => (fates.includes(fate) ? [name] : [])).sort();

/** The records behind the header of each file are its rows and its lines that are none. */
function assertEach(t: Test, files: readonly GeneratedFile[], { streams }: SyncRunDetailView): void {
  const ran = new Map(streams.map((one) => [one.name, one]));
  for (const { name, fate, ids, rejected } of files.filter((one) => one.fate === 'loaded')) {
    const names = [name, uploadName(name), fileStem(name), fileStem(uploadName(name))];
    const stream = ran.get(names.find((one) => ran.has(one)) ?? '');
    const rows = { rows_written: ids.length, rows_rejected: rejected, rows_deduplicated: 0, rows_in_table: ids.length };
    t.match(stream, { ...rows, status: 'succeeded', files_read: 1 }, `${name} ${fate}`);
  }
}

/** A folder of several tables: each file is loaded or left out, and so says the command. */
async function assertLoad(t: Test, files: readonly GeneratedFile[], words: readonly string[]): Promise<void> {
  const left = named(files, 'left_out', 'unseen');
  const { code, stdout, stderr } = await weir(['load', ...words, '-o', 'json'], { env });
  t.equal(code, left.length === 0 ? 0 : 9, stderr);
  const said = JSON.parse(stdout);
  const of = (status: string) =>
    said.files.flatMap((one: { name: string; status: string }) => (one.status === status ? [one.name] : []));
  t.strictSame([of('loaded').sort(), of('left_out').sort()], [named(files, 'loaded'), left]);
  t.equal(said.files.length, files.filter(({ fate }) => fate !== 'uncounted').length);
  const { run } = ok(await api(getSyncStatus, { params: { source_id: said.source_id } }));
  assertEach(t, files, run as SyncRunDetailView);
}

/** All files of one table, merged by key: what a later row has replaced in the same run is a number too. */
async function assertMerged(t: Test, files: readonly GeneratedFile[], folder: string, name: string): Promise<void> {
  const { source_id } = await filesSource(api, name, folder, { streams: [{ name: 'all', glob: '*' }] });
  await discovered(api, source_id);
  await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'merge', primary_key: [['id']] });
  const run = await synced(api, source_id);
  // In a table of several files, one without a byte is one without a row.
  const isRead = ({ fate, content }: GeneratedFile) =>
    fate === 'loaded' || (fate === 'left_out' && content.length === 0);
  const loaded = files.filter(isRead);
  const left = named(
    files.filter((file) => !isRead(file)),
    'left_out',
  );
  t.equal(run.status, left.length === 0 ? 'succeeded' : 'failed');
  const [one] = run.streams;
  const ids = loaded.flatMap((file) => file.ids);
  const rejected = sum(loaded.map((file) => file.rejected));
  t.match(one, { rows_written: ids.length, rows_rejected: rejected }, 'records = rows + quarantine');
  const kept = new Set(ids).size;
  t.equal(one?.rows_in_table, kept, 'the last row of each key is in the table');
  t.equal((one?.rows_written ?? 0) - (one?.rows_deduplicated ?? 0), kept, 'and the others are merged away');
  t.match(
    run,
    { files_read: loaded.length, files_left_out: left.length, files_unchanged: 0 },
    'files = read + left out',
  );
  t.strictSame(one?.left_out.flatMap(({ kind, file }) => (kind === 'file_left_out' ? [file] : [])).sort(), left);
}

for (const [at, files] of fc.sample(generatedFolder, { numRuns: FOLDERS, seed: SEED }).entries()) {
  t.test(`folder ${at}: files given = loaded + left out, records = rows + quarantine + merged away`, async (t) => {
    const folder = join(platform.folder, `folder-${at}`);
    await mkdir(folder);
    for (const { name, content } of files) await writeFile(join(folder, name), content);
    await assertLoad(t, files, [folder, '--as', `here-${at}`, '--no-upload']);
    await assertLoad(t, files, [folder, '--as', `sent-${at}`, '--upload']);
    await assertMerged(t, files, folder, `one-${at}`);
  });
}
