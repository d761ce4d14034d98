import t from 'tap';
import {
  createScanner,
  currentSchema,
  evolveSchema,
  prepareAppend,
  prepareOverwrite,
  prepareRowDelta,
  rowsSince,
  type Snapshot,
  type StagedFile,
  type TableMetadata,
  withMetaColumns,
} from '../src/index.ts';
import { line, openLake } from './lake.ts';

const COLUMNS = withMetaColumns([{ name: 'id', type: 'long' }]);

t.test('what became of rows between two snapshots', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  const scanner = createScanner({ io });
  let at = await lake.table([{ name: 'id', type: 'long' }]);
  const ids: string[] = [];
  const moved = (commit: Awaited<ReturnType<typeof prepareAppend>>) => {
    at = { metadata: commit.metadata, metadataLocation: commit.newMetadataLocation };
    ids.push(String(commit.snapshotId));
    return ids.length - 1;
  };
  const staged = async (id: number): Promise<StagedFile[]> => {
    const { file } = await lake.stage(at.metadata, currentSchema(at.metadata), line({ id }));
    return file === undefined ? [] : [file];
  };
  const append = async (id: number) => moved(await prepareAppend({ io, ...at, files: await staged(id) }));
  const rewrite = async (from: number, id: number) => {
    const live = await scanner.files(at.metadata, ids[from]);
    const removed = live.slice(-1).map(({ location }) => location);
    const baseSnapshotId = at.metadata['current-snapshot-id'];
    return moved(await prepareRowDelta({ io, ...at, files: await staged(id), removed, baseSnapshotId }));
  };
  const since = async (from: number | null, to: number, change = (one: TableMetadata) => one) => {
    const between = { from: from === null ? null : (ids[from] ?? 'x'), to: ids[to] ?? 'x' };
    const found = await rowsSince(scanner, change(at.metadata), between);
    return 'files' in found ? `${found.kind} ${found.files.length}` : found.kind;
  };
  /** The table as if these snapshots said this of themselves. */
  const saying = (operation: string, which: number) => (metadata: TableMetadata) => ({
    ...metadata,
    snapshots: metadata.snapshots.map((one): Snapshot => {
      const isIt = String(one['snapshot-id']) === ids[which];
      return isIt ? ({ ...one, summary: { ...one.summary, operation } } as Snapshot) : one;
    }),
  });
  const without =
    (...gone: number[]) =>
    (metadata: TableMetadata) => ({
      ...metadata,
      snapshots: metadata.snapshots.filter((one) => !gone.some((which) => String(one['snapshot-id']) === ids[which])),
    });

  const [first, second] = [await append(1), await append(2)];
  t.equal(await since(null, second), 'added 2');
  t.equal(await since(first, first), 'none');
  t.equal(await since(first, second), 'added 1');
  const third = await append(3);
  t.equal(await since(first, third, without(second)), 'added 2', 'snapshots between may have expired');
  t.equal(await since(first, third, without(first)), 'expired');
  const rewritten = await rewrite(third, 4);
  t.equal(await since(third, rewritten), 'changed 2', 'the new file, and the one that went');
  t.equal(await since(third, rewritten, saying('replace', rewritten)), 'none', 'a compaction changes no row');
  const last = await append(5);
  t.equal(await since(second, last, saying('replace', rewritten)), 'added 2', 'what came on both sides of it');
  t.equal(await since(second, last, (one) => saying('replace', rewritten)(without(third)(one))), 'changed 4');
  t.equal(await since(last, third), 'rolled_back');
  const overwritten = moved(await prepareOverwrite({ io, ...at, files: await staged(6) }));
  t.equal(await since(last, overwritten), 'overwritten');
  const grown = evolveSchema(currentSchema(at.metadata), [...COLUMNS, { name: 'note', type: 'string' }]);
  moved(await prepareAppend({ io, ...at, files: await staged(7), schema: grown.schema }));
  t.equal(await since(overwritten, overwritten + 1), 'added 1', 'a schema may grow');
  const renamed = (metadata: TableMetadata): TableMetadata => ({
    ...metadata,
    schemas: metadata.schemas.map((schema) => ({
      ...schema,
      fields: schema.fields.map((field) =>
        schema['schema-id'] > 0 && field.name === 'id' ? { ...field, name: 'key' } : field,
      ),
    })),
  });
  t.equal(await since(overwritten, overwritten + 1, renamed), 'columns_changed');
});
