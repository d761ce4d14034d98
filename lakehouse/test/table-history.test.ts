import fc from 'fast-check';
import t from 'tap';
import { inLane } from '../../test/lane.ts';
import { applyUpdates, createTable, findSnapshot, meetsRequirement, readMetadata } from '../src/index.ts';
import { openLake } from './lake.ts';
import { runPython } from './python.ts';
import { expected, type Model, ROWS_EACH, type Step, scanned, steps, takeStep } from './table-model.ts';

const PROPERTIES = { 'commit.manifest.min-count-to-merge': '3' };

/** What PyIceberg finds in a table: its entries, totals, specs and schemas. */
const INSPECT = `
import json, sys
from pyiceberg.table import StaticTable
out = []
for location in sys.argv[1:]:
  table = StaticTable.from_metadata(location)
  snapshot = table.current_snapshot()
  entries = table.inspect.entries().to_pylist() if snapshot else []
  live = [e for e in entries if e['status'] != 2]
  out.append({
    'data': sorted([e['data_file']['file_path'], str(e['sequence_number']), str(e['snapshot_id'])]
      for e in live if e['data_file']['content'] == 0),
    'deletes': sorted(e['data_file']['file_path'] for e in live if e['data_file']['content'] == 1),
    'totals': {k: int(v) for k, v in snapshot.summary.additional_properties.items() if k.startswith('total-')} if snapshot else None,
    'columns': table.schema().column_names,
    'spec': [str(f.transform) for f in table.spec().fields],
    'planned': sorted([task.file.file_path, task.file.spec_id] for task in table.scan().plan_files()) if snapshot else [],
  })
print(json.dumps(out))`;

t.test('the life of a table', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  let made = 0;
  const start = async (): Promise<Model> => {
    const columns = [{ name: 'p', type: 'int' as const }];
    const location = `file://${lake.root}/life-${made++}`;
    return { at: await createTable({ io, location, columns, properties: PROPERTIES }), data: [], deletes: [] };
  };
  const live = async (path: readonly Step[], each: (before: Model, after: Model) => Promise<void>): Promise<Model> => {
    let model = await start();
    for (const step of path) {
      const { commit, next } = await takeStep(io, model, step);
      const { metadata } = model.at;
      if (!commit.requirements.every((one) => meetsRequirement(metadata, one))) throw new Error('requirement');
      const { 'metadata-log': _log, 'last-updated-ms': _updated, ...told } = applyUpdates(metadata, commit.updates);
      const { 'metadata-log': _newLog, 'last-updated-ms': _newUpdated, ...said } = commit.metadata;
      t.strictSame(told, said, 'a catalog that is told of the change has the same table');
      await each(model, next);
      model = next;
    }
    return model;
  };

  t.test(
    'any sequence of commits holds what a model holds, at every snapshot, with totals that are right',
    async (t) => {
      const property = fc.asyncProperty(steps, async (path) => {
        const history = new Map<bigint, string[]>();
        const end = await live(path, async (before, after) => {
          const { metadata } = after.at;
          const snapshot = findSnapshot(metadata);
          t.strictSame(await scanned(io, metadata), expected(after));
          if (snapshot === undefined) return;
          if (findSnapshot(before.at.metadata) !== snapshot) history.set(snapshot['snapshot-id'], expected(after));
          t.match(snapshot.summary, {
            'total-data-files': String(after.data.length),
            'total-records': String(after.data.length * ROWS_EACH),
            'total-delete-files': String(after.deletes.length),
            'total-position-deletes': String(after.deletes.length),
            'total-files-size': String((after.data.length + after.deletes.length) * 100),
          });
        });
        const read = await readMetadata(io, end.at.metadataLocation);
        t.strictSame(read, end.at.metadata);
        for (const [id, wanted] of history) t.strictSame(await scanned(io, read, id), wanted);
        t.equal(
          new Set(read.schemas.flatMap((one) => one.fields.map((field) => `${field.id}`))).size,
          read['last-column-id'],
        );
      });
      await fc.assert(property, { numRuns: 60 });
    },
  );

  if (!inLane('interop-all')) return;
  t.test('PyIceberg finds in it the same files, numbers and totals', async (t) => {
    const paths = fc.sample(steps, { numRuns: 12, seed: 3 });
    const models: Model[] = [];
    for (const path of paths) models.push(await live(path, async () => {}));
    const seen = (await runPython(INSPECT, ...models.map((model) => model.at.metadataLocation))) as {
      data: [string, string, string][];
      [more: string]: unknown;
    }[];
    for (const [at, model] of models.entries()) {
      const { metadata } = model.at;
      const ours = model.data.map(({ location, sequence }) => [location, String(sequence)]);
      t.strictSame(
        seen[at]?.data.map((entry) => entry.slice(0, 2)),
        ours.sort(),
      );
      const bySequence = new Map(
        metadata.snapshots.map((one) => [String(one['sequence-number']), String(one['snapshot-id'])]),
      );
      for (const [, sequence, snapshotId] of seen[at]?.data ?? []) t.equal(snapshotId, bySequence.get(sequence));
      t.match(seen[at], {
        deletes: model.deletes.map((one) => one.location).sort(),
        planned: model.data.map((one) => [one.location, one.specId]).sort(),
        columns: metadata.schemas
          .find((one) => one['schema-id'] === metadata['current-schema-id'])
          ?.fields.map((one) => one.name),
        spec: metadata['partition-specs']
          .find((one) => one['spec-id'] === metadata['default-spec-id'])
          ?.fields.map((one) => one.transform),
        ...(findSnapshot(metadata) && {
          totals: { 'total-data-files': model.data.length, 'total-delete-files': model.deletes.length },
        }),
      });
    }
  });
});
