import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createStager, openStore, type StagedFile, type StoreOptions, type TableSchema } from '@weir/lakehouse';
import type { TableRef } from '@weir/plugin-datasets/contract';
import { appendOf, type Lake } from '../lake.ts';
import { messageChunks } from '../lines/line-file.ts';
import { jsonSchemaOf, LINE_KINDS } from '../lines/line-kinds.ts';
import { RECORD_SHAPE } from '../record-shape.ts';

/** Files of the table, each committed alone, as fifty batches of a sync would be. */
export const TABLE_FILES = 50;

/** A table of the lake's tenant with so many narrow rows in fifty files. */
export async function peopleTable(lake: Lake, rows: number): Promise<{ ref: TableRef; metadataLocation: string }> {
  const { tables, producers, kernel, tenantOf, run, folder } = lake;
  const ref = tables.bronze(tenantOf, 'people');
  const prepared = await tables.prepare(tenantOf, ref, jsonSchemaOf(LINE_KINDS.narrow));
  // A table is readable once something of the tenant writes it.
  const producer = { ref, kind: 'source' as const, producerId: tenantOf.tenantId };
  await kernel.db(tenantOf).transaction((tx) => producers.register(tx, producer));
  const io = openStore({ ...(prepared.store as StoreOptions), scratch: path.join(folder, 'loader-copies') });
  const stager = await createStager({ io, scratch: path.join(folder, 'loader') });
  const source = path.join(folder, 'rows.ndjson');
  const each = Math.ceil(rows / TABLE_FILES);
  await mkdir(folder, { recursive: true });
  try {
    for (let batch = 1; batch <= TABLE_FILES; batch += 1) {
      const first = (batch - 1) * each + 1;
      await pipeline(Readable.from(recordChunks(first, each)), createWriteStream(source));
      const place = { folder: `${prepared.dataLocation}/batch-${batch}`, runId: run.runId, position: first - 1 };
      await tables.recordStaged(tenantOf, run.runId, [{ ref, location: place.folder, isFolder: true }]);
      const staged = await stager.copy({
        source,
        shape: RECORD_SHAPE,
        schema: prepared.schema as TableSchema,
        ...place,
      });
      const files: StagedFile[] = [...staged.files];
      await tables.commit(tenantOf, { ...run, tables: [appendOf(ref, files, batch)], checkpoints: [] });
    }
  } finally {
    stager.close();
    await io.close();
    await rm(source, { force: true });
  }
  return { ref, metadataLocation: (await tables.head(tenantOf, ref)).metadataLocation };
}

/** The RECORD lines alone: a spool holds no others. */
function* recordChunks(first: number, rows: number): Generator<string> {
  for (const chunk of messageChunks(LINE_KINDS.narrow, rows, first)) {
    const lines = chunk.split('\n').filter((line) => line.startsWith('{"type":"RECORD"'));
    yield lines.map((line) => `${line}\n`).join('');
  }
}
