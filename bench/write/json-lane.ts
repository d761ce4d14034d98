import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type ConnectorProcess,
  type ConnectorRuntime,
  containerRuntime,
  createSpool,
  processRuntime,
  readSync,
  streamKey,
} from '@weir/connector-runtime';
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
import { REPLAY_IMAGE } from '../replay/image.ts';

const MICROSECONDS = 1_000_000;
const RUN_ID = '0192f0c1-0000-7000-8000-000000000001';
const REPLAY = fileURLToPath(new URL('../replay/main.ts', import.meta.url));

/**
 * `json-lane.ts <kind> <folder> [<file> [<socket> <workspace>]]`: what the process of a sync does with a connector's output: router, spool, stager,
 * Parquet files with `_errors`, meta columns, statistics and checksum, made durable. No platform and no commit around it.
 * The output comes on stdin, or from a connector that prints a file and is started as any other is: as a process, or in a
 * container of the engine behind a socket. Prints the rows that it has written, and the processor seconds of this process alone.
 */
async function main([kind = 'narrow', folder = '.', file, ...engine]: string[]): Promise<void> {
  const work = await mkdtemp(path.join(folder, 'lane-'));
  await mkdir(path.join(work, 'spool'));
  const io = openStore({ warehouse: work, scratch: path.join(work, 'copies') });
  const stager = await createStager({ io, scratch: path.join(work, 'scratch') });
  const spool = createSpool({ dir: path.join(work, 'spool'), headBytes: SPOOL_HEAD_BYTES, detect: hasLongNumber });
  const source = LINE_KINDS[kind as LineKindName];
  const fields = assignFieldIds(withMetaColumns(jsonSchemaToColumns(jsonSchemaOf(source))));
  const schema: TableSchema = { type: 'struct', 'schema-id': 0, fields };
  const stream = { name: source.stream };
  const runtime = engine.length > 0 ? engineRuntime(engine) : developmentRuntime(path.join(work, 'workspaces'));
  const connector = file === undefined ? standardInput() : await replaying(file, runtime);
  const reading = readSync({ connector, streams: [stream], spool });
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
  await connector.removed;
  await rm(work, { recursive: true });
  if (verdict?.outcome !== 'success') throw new Error(`the stream was not read to its end: ${JSON.stringify(verdict)}`);
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ rows, cpu_s: (user + system) / MICROSECONDS })}\n`);
}

/** The connector that prints a file once. */
function replaying(file: string, runtime: ConnectorRuntime): Promise<ConnectorProcess> {
  const labels = { tenant: 'bench', source: 'bench', execution: 'bench', attempt: '1' };
  const inputs = { config: JSON.stringify({ path: file, times: 1 }) };
  return runtime.run({ image: REPLAY_IMAGE, role: 'source', labels, verb: 'read', inputs });
}

function developmentRuntime(workspaceRoot: string): ConnectorRuntime {
  const connectors = { [REPLAY_IMAGE.replace(/:.*$/, '')]: { command: [REPLAY] } };
  return processRuntime({ connectors, workspaceRoot, mode: 'development' });
}

/** As the process of a sync has it, whose worker has proven the engine. */
function engineRuntime([socketPath = '', workspaceRoot = '']: readonly string[]): ConnectorRuntime {
  const engine = { socketPath, workspaceRoot, role: 'source', mode: 'development', isProven: true } as const;
  return containerRuntime({ ...engine, waivers: ['rootful'] });
}

/** Standard input as if a connector had it for its output. */
function standardInput(): ConnectorProcess {
  const exit = Promise.resolve({ code: 0, signal: undefined, oomKilled: false, stopped: false });
  return { name: 'stdin', pid: undefined, stdout: process.stdin, stderrTail: () => '', exit, stop: () => exit };
}

await main(process.argv.slice(2));
