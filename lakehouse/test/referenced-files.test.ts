import t from 'tap';
import { prepareAppend, referencedFiles } from '../src/index.ts';
import { openLake } from './lake.ts';
import { stagedIn } from './table-model.ts';

t.test('a table needs its metadata with its log, and every file that a kept snapshot names', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  const created = await lake.table([{ name: 'p', type: 'int' }]);
  const file = stagedIn(created.metadata, 0);
  const { metadata, newMetadataLocation, written } = await prepareAppend({ io, ...created, files: [file] });
  const needed = await referencedFiles(io, { metadata, metadataLocation: newMetadataLocation });
  t.strictSame([...needed].sort(), [created.metadataLocation, ...written, file.location].sort());
});
