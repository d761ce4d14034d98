import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  assignFieldIds,
  createStager,
  jsonSchemaToColumns,
  openStore,
  type TableSchema,
  withMetaColumns,
} from '@weir/lakehouse';
import { jsonSchemaOf, LINE_KINDS } from '../lines/line-kinds.ts';

const RUN_ID = '0192f0c1-0000-7000-8000-000000000001';

/**
 * `segment-lane.ts <file> <folder>`: what the process of a sync does with a Parquet file that a connector handed over:
 * it is read, checked against the columns of the table and written as a data file with `_errors`, meta columns,
 * statistics and checksum, made durable. No platform and no commit around it. Prints the rows that it has written.
 */
async function main([source = '', folder = '.']: string[]): Promise<void> {
  const work = await mkdtemp(path.join(folder, 'lane-'));
  const io = openStore({ warehouse: work, scratch: path.join(work, 'copies') });
  const stager = await createStager({ io, scratch: path.join(work, 'scratch') });
  const fields = assignFieldIds(withMetaColumns(jsonSchemaToColumns(jsonSchemaOf(LINE_KINDS.narrow))));
  const schema: TableSchema = { type: 'struct', 'schema-id': 0, fields };
  const data = pathToFileURL(path.join(work, 'data')).href;
  const { rows } = await stager.segment({
    ...{ source, schema, folder: data, runId: RUN_ID },
    ...{ position: 0, extractedAt: Date.now() },
  });
  stager.close();
  await rm(work, { recursive: true });
  process.stdout.write(`${JSON.stringify({ rows })}\n`);
}

await main(process.argv.slice(2));
