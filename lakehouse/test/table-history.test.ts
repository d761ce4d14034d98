import fc from 'fast-check';
import t from 'tap';
import { applyUpdates, findSnapshot, meetsRequirement, readMetadata } from '../src/index.ts';
import { openLake } from './lake.ts';
import { expected, type Model, newModel, ROWS_EACH, type Step, scanned, steps, takeStep } from './table-model.ts';

t.test('the life of a table', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  let made = 0;
  const live = async (path: readonly Step[], each: (before: Model, after: Model) => Promise<void>): Promise<Model> => {
    let model = await newModel(io, `file://${lake.root}/life-${made++}`);
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
});
