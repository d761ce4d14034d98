import fc from 'fast-check';
import t from 'tap';
import {
  expirableSnapshots,
  mainLine,
  prepareExpire,
  readMetadata,
  referencedFiles,
  type Snapshot,
  type TableMetadata,
} from '../src/index.ts';
import { openLake } from './lake.ts';
import { newModel, scanned, steps, takeStep } from './table-model.ts';

const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;
const STREAMS = ['a', 'b'];

/** A table's history with an hour between its snapshots, each of which one of two streams has made. */
function aged(metadata: TableMetadata, by: readonly number[]): TableMetadata {
  const { length } = metadata.snapshots;
  const snapshots = metadata.snapshots.map((snapshot, at): Snapshot => {
    const stream = STREAMS[(by[at % by.length] ?? 0) % STREAMS.length] ?? 'a';
    const summary = { ...snapshot.summary, 'weir.stream-id': stream, 'weir.commit-id': `r:${stream}:${at}` };
    return { ...snapshot, summary, 'timestamp-ms': NOW - (length - at) * HOUR };
  });
  return { ...metadata, snapshots };
}

const newestOf = (metadata: TableMetadata) =>
  STREAMS.map((stream) => mainLine(metadata).find(({ summary }) => summary['weir.stream-id'] === stream));

t.test('any history', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  let made = 0;

  await t.test('after expiry → what is kept reads as before, and no file of it is gone', async (t) => {
    let expired = 0;
    const chosen = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(
      fc.record({
        path: fc.tuple(steps, steps).map((both) => both.flat()),
        by: chosen,
        pick: chosen,
        hours: fc.nat({ max: 6 }),
        atLeast: fc.nat({ max: 3 }),
      }),
      async ({ path, by, pick, hours, atLeast }) => {
        let model = await newModel(io, `file://${lake.root}/expire-${made++}`);
        for (const step of path) model = (await takeStep(io, model, step)).next;
        const bare = aged(model.at.metadata, by);
        const { snapshots } = bare;
        const at = (index: number) => snapshots[(pick[index % pick.length] ?? 0) % Math.max(snapshots.length, 1)];
        const [tagged, branched, held] = [at(0), at(1), at(2)];
        const refs = {
          ...bare.refs,
          ...(tagged && { release: { type: 'tag', 'snapshot-id': tagged['snapshot-id'] } }),
          ...(branched && { fork: { type: 'branch', 'snapshot-id': branched['snapshot-id'] } }),
        };
        const metadata = { ...bare, refs };
        const rows = new Map<bigint, unknown>();
        for (const { 'snapshot-id': id } of snapshots) rows.set(id, await scanned(io, metadata, id));
        const rule = {
          since: NOW - hours * HOUR,
          atLeast,
          held: new Set(held && [String(held['snapshot-id'])]),
          now: NOW,
        };
        const gone = expirableSnapshots(metadata, rule).map((one) => one['snapshot-id']);
        expired += gone.length;
        const before = { io, metadata, metadataLocation: model.at.metadataLocation };
        const commit = await prepareExpire({ ...before, snapshotIds: gone });
        const after = gone.length === 0 ? metadata : await readMetadata(io, commit.newMetadataLocation);
        const ids = new Set(after.snapshots.map((one) => one['snapshot-id']));

        t.ok([tagged, branched, held].every((one) => one === undefined || ids.has(one['snapshot-id'])));
        t.ok(snapshots.every((one) => one['timestamp-ms'] < NOW - hours * HOUR || ids.has(one['snapshot-id'])));
        t.ok(
          mainLine(metadata)
            .slice(0, atLeast)
            .every((one) => ids.has(one['snapshot-id'])),
        );
        t.strictSame(newestOf(after), newestOf(metadata), 'the newest commit of each stream');
        t.ok(after['snapshot-log'].every((one) => ids.has(one['snapshot-id'])));
        for (const id of ids) t.strictSame(await scanned(io, after, id), rows.get(id));
        const needed = await referencedFiles(io, { metadata: after, metadataLocation: commit.newMetadataLocation });
        const all = await referencedFiles(io, before);
        for (const id of ids) {
          const alone = {
            ...metadata,
            snapshots: snapshots.filter((one) => one['snapshot-id'] === id),
            'metadata-log': [],
          };
          const own = await referencedFiles(io, { ...before, metadata: alone });
          own.delete(before.metadataLocation);
          t.strictSame(own.difference(needed), new Set());
        }
        t.strictSame(expirableSnapshots(after, rule), [], 'a second expiry finds nothing');
        t.ok(gone.length === 0 || all.difference(needed).size > 0, 'what expired frees its manifest list at least');
      },
    );
    await fc.assert(property, { numRuns: 50 });
    t.ok(expired > 20, `${expired} snapshots have expired`);
  });
});

t.test('properties of the table and of a branch → go before the rule of the platform', async (t) => {
  const snapshots = [1, 2, 3, 4].map((at) => ({
    ...{
      'snapshot-id': BigInt(at),
      'sequence-number': BigInt(at),
      'timestamp-ms': NOW - (10 - at) * HOUR,
      summary: {},
    },
    ...(at > 1 && { 'parent-snapshot-id': BigInt(at - 1) }),
  }));
  const table = (properties: object, main: object = {}) =>
    ({
      ...{ snapshots, properties, 'current-snapshot-id': 4n },
      refs: { main: { type: 'branch', 'snapshot-id': 4n, ...main } },
    }) as unknown as TableMetadata;
  const expired = (metadata: TableMetadata) =>
    expirableSnapshots(metadata, { since: NOW, atLeast: 1, held: new Set(), now: NOW }).map((one) =>
      Number(one['snapshot-id']),
    );
  t.strictSame(expired(table({})), [1, 2, 3]);
  t.strictSame(expired(table({ 'gc.enabled': 'false' })), []);
  t.strictSame(expired(table({ 'history.expire.min-snapshots-to-keep': '3' })), [1]);
  t.strictSame(expired(table({ 'history.expire.max-snapshot-age-ms': String(8 * HOUR) })), [1]);
  t.strictSame(expired(table({}, { 'min-snapshots-to-keep': 2 })), [1, 2]);
});
