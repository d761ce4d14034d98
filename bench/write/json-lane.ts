import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ConnectorProcess, createSpool, readSync, streamKey } from '@weir/connector-runtime';
import {
  assignFieldIds,
  createStager,
  hasLongNumber,
  jsonSchemaToColumns,
  openStore,
  SPOOL_HEAD_BYTES,
  type TableSchema,
  withMetaColumns,
} from '@weir/lakehouse';
import { jsonSchemaOf, LINE_KINDS, type LineKindName } from '../lines/line-kinds.ts';
import { RECORD_SHAPE } from '../record-shape.ts';

const RUN_ID = '0192f0c1-0000-7000-8000-000000000001';
/**
 * `json-lane.ts <kind> <folder>`: what the process of a sync does with a connector's output, which comes on stdin: router,
 * spool, stager, Parquet files with `_errors`, meta columns, statistics and checksum, made durable. No platform and no commit
 * around it. Prints the rows that it has written.
 */
async function main([kind = 'narrow', folder = '.']: string[]): Promise<void> {
  const work = await mkdtemp(path.join(folder, 'lane-'));
  await mkdir(path.join(work, 'spool'));
  const io = openStore({ warehouse: work, scratch: path.join(work, 'copies') });
  const stager = await createStager({ io, scratch: path.join(work, 'scratch') });
  const spool = createSpool({ dir: path.join(work, 'spool'), headBytes: SPOOL_HEAD_BYTES, detect: hasLongNumber });
  const source = LINE_KINDS[kind as LineKindName];
  const fields = assignFieldIds(withMetaColumns(jsonSchemaToColumns(jsonSchemaOf(source))));
  const schema: TableSchema = { type: 'struct', 'schema-id': 0, fields };
  const stream = { name: source.stream };
  const reading = readSync({ connector: standardInput(), streams: [stream], spool });
  let rows = 0;
  for await (const { path: file, sequence, lines, detected, release } of spool.segments()) {
    if (file !== undefined) {
      const folder = pathToFileURL(path.join(work, 'data', String(sequence))).href;
      const request = { source: file, shape: RECORD_SHAPE, schema, folder, runId: RUN_ID, position: rows, lines };
      rows += (await stager.copy({ ...request, longNumbers: detected })).rows;
    }
    release();
  }
  const verdict = (await reading).streams.get(streamKey(stream))?.verdict;
  stager.close();
  await rm(work, { recursive: true });
  if (verdict?.outcome !== 'success') throw new Error(`the stream was not read to its end: ${JSON.stringify(verdict)}`);
  process.stdout.write(`${JSON.stringify({ rows })}\n`);
}

/** Standard input as if a connector had it for its output. */
function standardInput(): ConnectorProcess {
  const exit = Promise.resolve({ code: 0, signal: undefined, oomKilled: false, stopped: false });
  return { name: 'stdin', pid: undefined, stdout: process.stdin, stderrTail: () => '', exit, stop: () => exit };
}

await main(process.argv.slice(2));
