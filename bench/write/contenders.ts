import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { READER_FLAGS } from '@weir/connector-runtime';
import { BENCH_FOLDER, dataFile, freshFolder, lineFile } from '../lines/line-file.ts';
import { jsonSchemaOf, LINE_KINDS, type LineKindName } from '../lines/line-kinds.ts';
import { measuredRun } from '../measure/measured-run.ts';
import type { Contender } from '../measure/paired.ts';
import { duckdbCopy } from '../peers/duckdb-copy.ts';
import { type PeerName, peerProgram } from '../peers/python-env.ts';

const NODE_FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const LANE = fileURLToPath(new URL('json-lane.ts', import.meta.url));
const SEGMENT_LANE = fileURLToPath(new URL('segment-lane.ts', import.meta.url));
const LOAD = fileURLToPath(new URL('../peers/load.py', import.meta.url));

/** Makes one side of a comparison for so many rows. */
export type MakeContender = (rows: number) => Promise<Contender>;

/** Our lane on a pipe; what writes into the pipe is counted too. */
export const jsonLane =
  (kind: LineKindName): MakeContender =>
  async (rows) => {
    const file = await lineFile(kind, rows);
    const folder = await freshFolder('lane');
    const flags = [...NODE_FLAGS, ...READER_FLAGS].join(' ');
    const script = `cat "$1" | "$2" ${flags} "$3" "$4" "$5"`;
    const args = ['-c', script, 'lane', file, process.execPath, LANE, kind, folder];
    return { name: 'json lane', rows, run: { command: 'sh', args } };
  };

/** Our lane for connectors that write Parquet themselves, on one such file. */
export const segmentLane: MakeContender = async (rows) => {
  const args = [...NODE_FLAGS, SEGMENT_LANE, await parquetFile(rows), await freshFolder('lane')];
  return { name: 'segment lane', rows, run: { command: process.execPath, args } };
};

/** The DuckDB CLI on the same file: strict types, no `_errors`, all of its default memory, as many threads as we have. */
export const duckdbCli =
  (kind: LineKindName, { ordered = true } = {}): MakeContender =>
  async (rows) => {
    const statement = duckdbCopy(LINE_KINDS[kind], await lineFile(kind, rows), await freshFolder('duckdb'), ordered);
    return { name: 'duckdb cli', rows, run: { command: await peerProgram('duckdb'), args: ['-c', statement] } };
  };

/** dlt on the same file, or on Arrow tables that were typed before. */
export const dlt =
  (input: 'lines' | 'arrow'): MakeContender =>
  async (rows) => {
    const file = input === 'lines' ? await lineFile('narrow', rows) : await parquetFile(rows);
    return pythonPeer('dlt', [input === 'lines' ? 'dlt' : 'dlt-arrow', file], rows);
  };

/** PyAirbyte on the same file, printed by a local source, into its own DuckDB file. */
export const pyAirbyte: MakeContender = async (rows) =>
  pythonPeer(
    'airbyte',
    ['airbyte', await lineFile('narrow', rows), JSON.stringify(jsonSchemaOf(LINE_KINDS.narrow))],
    rows,
  );

/** Sling's own Parquet writer on the bare data objects: of whole messages it would make a table of envelopes. */
export const sling: MakeContender = async (rows) => {
  const folder = await freshFolder('sling');
  const source = `file://${await dataFile('narrow', rows)}`;
  const target = `file://${path.join(folder, 'people.parquet')}`;
  const env = { SLING_HOME_DIR: folder, SLING_DUCKDB_COMPUTE: 'false', SLING_DISABLE_TELEMETRY: 'true' };
  const args = ['run', '--src-stream', source, '--src-options', '{flatten: true}', '--tgt-object', target];
  return { name: 'sling', rows, run: { command: await peerProgram('sling'), args, env } };
};

/** A run of `load.py`, which empties its folder first: nothing is left of the run before. */
export async function pythonPeer(name: PeerName, [tool = '', ...inputs]: string[], rows: number): Promise<Contender> {
  const env = { AIRBYTE_OFFLINE_MODE: '1', DO_NOT_TRACK: '1', RUNTIME__DLTHUB_TELEMETRY: 'false' };
  const folder = path.join(await freshFolder(name), 'run');
  return { name, rows, run: { command: await peerProgram(name), args: [LOAD, tool, folder, ...inputs], env } };
}

/** Arrow tables need a file to come from; Parquet is the cheapest to read. */
async function parquetFile(rows: number): Promise<string> {
  const folder = path.join(BENCH_FOLDER, 'arrow', String(rows));
  await mkdir(folder, { recursive: true });
  // dlt does not know the Arrow type that a JSON column of Parquet is read as.
  const columns = LINE_KINDS.narrow.columns.map((column) =>
    column.sql === 'JSON' ? { ...column, sql: 'VARCHAR' } : column,
  );
  const statement = duckdbCopy({ ...LINE_KINDS.narrow, columns }, await lineFile('narrow', rows), folder);
  await measuredRun({ command: await peerProgram('duckdb'), args: ['-c', statement] });
  return path.join(folder, 'rows.parquet');
}
