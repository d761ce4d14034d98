import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import type { Tenant } from '@weir/kernel';
import {
  createScanner,
  createStager,
  findSnapshot,
  localFileIO,
  localPath,
  prepareAppend,
  prepareOverwrite,
  type StagedFile,
  type Stager,
  type TableSchema,
} from '@weir/lakehouse';
import t, { type Test } from 'tap';
import { type AuditsService, quarantineOf, type TableRef } from '../src/contract.ts';
import { batch, depsOf, type Lake, lake } from './kit.ts';

const ROWS = [{ id: 1, name: 'a' }, { id: 2, name: 'b' }, { id: 'x' }];

/** A table with two files of one run, and a file of another. */
async function audited(t: Test) {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const audits = world.registration.services?.find(({ id }) => id === 'datasets.audits@1')?.implementation;
  await world.land(acme, 'orders', [{ id: 9 }]);
  const ref = world.tables.bronze(acme, 'orders');
  const { runId, leaseEpoch } = await world.run(acme);
  const files: object[] = [];
  let snapshotId = '';
  for (const [at, rows] of [ROWS, [{ id: 3 }]].entries()) {
    const staged = await world.stage(acme, ref, rows, runId);
    files.push(...staged);
    const commit = { runId, leaseEpoch, tables: [batch(ref, staged, at + 1)], checkpoints: [] };
    snapshotId = (await world.tables.commit(acme, commit)).tables[0]?.snapshotId ?? '';
  }
  return { world, acme, audits: audits as AuditsService, ref, runId, snapshotId, files: files as StagedFile[] };
}

/** Commits as a writer does that knows nothing of runs. */
async function foreign(
  world: Lake,
  tenant: Tenant,
  ref: TableRef,
  { files, replace }: { files: readonly StagedFile[]; replace: boolean },
): Promise<void> {
  const { io, catalog, scanner } = depsOf(world, world.kernel.db as never);
  const ident = { namespace: ref.namespace, name: ref.table };
  await world.kernel.db(tenant).transaction(async (tx) => {
    const metadataLocation = (await catalog.loadPointer(tx.sql, ident)) ?? '';
    const metadata = await scanner.metadata(ref, metadataLocation);
    const made = await (replace ? prepareOverwrite : prepareAppend)({ io, metadata, metadataLocation, files });
    await catalog.swapPointer(tx.sql, ident, metadataLocation, made.newMetadataLocation);
  });
}

t.test('the rows of a run are counted from the files alone, at its snapshot and now', async (t) => {
  const { world, acme, audits, ref, runId, snapshotId, files } = await audited(t);
  const then = await audits.figures(acme, ref, { runId, snapshotId });
  t.match(then, {
    outcome: 'counted',
    snapshotId,
    figures: { rows: 4, rowsWithErrors: 1, checksum: /:[0-9a-f]{16}$/ },
  });
  t.strictSame(await audits.figures(acme, ref, { runId }), then, 'nothing has changed since');

  await foreign(world, acme, ref, { files: files.slice(0, 1), replace: false });
  t.strictSame(await audits.figures(acme, ref, { runId, snapshotId }), then);
  const doubled = await audits.figures(acme, ref, { runId });
  t.match(doubled, { outcome: 'counted', figures: { rows: 7, rowsWithErrors: 2 } }, 'a file that is there twice');
  t.notMatch(doubled, { figures: { checksum: then.outcome === 'counted' ? then.figures.checksum : '' } });

  await foreign(world, acme, ref, { files: files.slice(1), replace: true });
  t.match(await audits.figures(acme, ref, { runId }), { figures: { rows: 1 } }, 'rows that somebody else removed');
});

t.test(
  'files that were changed or lost behind the back of the table are noticed, whatever was read before',
  async (t) => {
    const { world, acme, audits, ref, runId, snapshotId, files } = await audited(t);
    t.match(await audits.figures(acme, ref, { runId, snapshotId }), { figures: { rows: 4 } });
    const { io, catalog } = depsOf(world, world.kernel.db as never);
    const ident = { namespace: ref.namespace, name: ref.table };
    const location = await world.kernel.db(acme).transaction((tx) => catalog.loadPointer(tx.sql, ident));
    const metadata = await createScanner({ io }).metadata(location ?? '');
    const newest = findSnapshot(metadata, snapshotId);
    const before = metadata.snapshots.find((one) => one['snapshot-id'] === newest?.['parent-snapshot-id']);
    const listOf = (snapshot: typeof newest) => localPath(snapshot?.['manifest-list'] ?? '');
    await copyFile(listOf(before), listOf(newest));
    t.match(
      await audits.figures(acme, ref, { runId, snapshotId }),
      { figures: { rows: 3 } },
      'a manifest that is gone',
    );
    await rm(localPath(files[0]?.location ?? ''));
    t.strictSame(await audits.figures(acme, ref, { runId, snapshotId }), { outcome: 'unreadable' });
    await rm(listOf(newest));
    t.strictSame(await audits.figures(acme, ref, { runId, snapshotId }), { outcome: 'unreadable' });
  },
);

t.test('lines in quarantine that name a run are counted, also those that it has not put there', async (t) => {
  const { world, acme, audits, ref, runId } = await audited(t);
  const own = quarantineOf(ref);
  const { schema, dataLocation } = await world.tables.prepare(acme, own, {}, { columns: 'quarantine' });
  const folder = `${world.kernel.settings.WEIR_WAREHOUSE}-lines`;
  await mkdir(folder);
  const io = localFileIO({ root: '/' });
  const stager = await createStager({ io, scratch: `${folder}/scratch` });
  t.teardown(() => stager.close());
  const { files } = await linesFile(stager, { schema: schema as TableSchema, dataLocation, runId, folder });
  await foreign(world, acme, own, { files, replace: false });
  t.strictSame(await audits.rejectedLines(acme, ref, { runId }), {
    ...{ outcome: 'counted', snapshotId: null, lines: 0, now: 1 },
  });
  const { leaseEpoch } = (await world.kernel.runs.begin(acme, runId)) ?? { leaseEpoch: 0 };
  const more = await linesFile(stager, { schema: schema as TableSchema, dataLocation, runId, folder });
  const commit = { runId, leaseEpoch, tables: [batch(own, more.files, 3)], checkpoints: [] };
  const snapshotId = (await world.tables.commit(acme, commit)).tables[0]?.snapshotId ?? null;
  const both = { outcome: 'counted', snapshotId, lines: 2 };
  t.strictSame(await audits.rejectedLines(acme, ref, { runId }), { ...both, now: 2 });
  await foreign(world, acme, own, { files: more.files, replace: true });
  t.strictSame(await audits.rejectedLines(acme, ref, { runId }), { ...both, now: 1 }, 'as a replay leaves them');
});

/** A staged file of one line in quarantine. */
async function linesFile(
  stager: Stager,
  {
    schema,
    dataLocation,
    runId,
    folder,
  }: Record<'dataLocation' | 'runId' | 'folder', string> & { schema: TableSchema },
): Promise<{ files: StagedFile[] }> {
  const name = randomUUID();
  const path = `${folder}/${name}.ndjson`;
  await writeFile(path, '{"position":1,"reason":"no_data","raw":"e30="}\n');
  const rejected = [{ path, count: 1, reasons: { no_data: 1 } }];
  const file = await stager.quarantine({ rejected, schema, folder: `${dataLocation}/${name}`, runId, stream: 's' });
  return { files: file === undefined ? [] : [file] };
}

t.test('what is not there is said, and nobody looks into the tables of others', async (t) => {
  const { world, acme, audits, ref, runId } = await audited(t);
  t.strictSame(await audits.figures(acme, ref, { runId, snapshotId: '1' }), { outcome: 'snapshot_missing' });
  const absent = world.tables.bronze(acme, 'absent');
  t.strictSame(await audits.figures(acme, absent, { runId }), { outcome: 'table_missing' });
  t.strictSame(await audits.rejectedLines(acme, ref, { runId }), { outcome: 'table_missing' });
  await world.tables.prepare(acme, quarantineOf(ref), {}, { columns: 'quarantine' });
  const none = { outcome: 'counted', snapshotId: null, lines: 0, now: 0 };
  t.strictSame(await audits.rejectedLines(acme, ref, { runId }), none);
  const other = await world.tenant('other');
  await t.rejects(audits.figures(other, ref, { runId }), { entry: { code: 'destination_not_allowed' } } as never);
});

t.test('nobody waits for the figures any more → the reason of the signal, not a verdict on the table', async (t) => {
  const { acme, audits, ref, runId } = await audited(t);
  const signal = AbortSignal.abort(new Error('cancelled'));
  await t.rejects(audits.figures(acme, ref, { runId, signal }), { message: 'cancelled' });
});
