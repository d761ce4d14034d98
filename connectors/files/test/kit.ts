import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { runSource } from '@weir/connector-sdk';
import { createEgress, type EgressOptions } from '@weir/egress';
import t from 'tap';
import { filesSource } from '../src/files-source.ts';

export const DEMO = fileURLToPath(new URL('../data', import.meta.resolve('vega-datasets')));
export const PROGRAM = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export async function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'files-')));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return path;
}

/** A temporary folder of this process alone, until the test ends: others have files of theirs in everybody's at the same time. */
export async function ownTemporaryFolder(t: { teardown(work: () => unknown): void }): Promise<string> {
  const own = await folder();
  const before = process.env.TMPDIR;
  process.env.TMPDIR = own;
  t.teardown(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
  return own;
}

// The connector keeps a folder of DuckDB's there, which goes with that of its run.
await ownTemporaryFolder(t);

/** The ports of servers that a test has started; loopback is allowed to the connector under test, as by an operator. */
export const openPorts: number[] = [];
/** Bounds of the way out that a test wants smaller. */
export const bounds: { current: EgressOptions } = { current: {} };
export const source = filesSource({
  egress: () => createEgress({ allowPrivate: ['127.0.0.0/8'], ports: openPorts, ...bounds.current }),
  bounds: async () => ({ roots: [], refused: [] }),
});

export type Said = { code: number; lines: string[]; messages: ReturnType<typeof JSON.parse>[] };
/** Runs one verb of the connector in this process. */
export async function run(verb: string, inputs: Readonly<Record<string, unknown>>): Promise<Said> {
  const dir = await folder();
  const argv = [verb];
  for (const [name, value] of Object.entries(inputs)) {
    await writeFile(join(dir, name), JSON.stringify(value));
    argv.push(`--${name}`, join(dir, name));
  }
  const stdout = new PassThrough();
  const said = text(stdout);
  const code = await runSource(source, argv, { stdout, stderr: new PassThrough().resume() });
  stdout.end();
  const lines = (await said).split('\n').filter((line) => line !== '');
  return { code, lines, messages: lines.map((line) => JSON.parse(line)) };
}

export async function discover(config: unknown) {
  const said = await run('discover', { config });
  return said.messages.find((m) => m.type === 'CATALOG')?.catalog ?? errorOf(said)?.internal_message;
}
export function configured(catalog: { streams: object[] }, sync_mode = 'incremental') {
  return { streams: catalog.streams.map((stream) => ({ stream, sync_mode, destination_sync_mode: 'append' })) };
}
export async function read(config: unknown, catalog?: object, state: readonly unknown[] = []) {
  return run('read', { config, catalog: catalog ?? configured(await discover(config)), state });
}
/** The rows that were sent. */
export const dataOf = ({ messages }: Said) =>
  messages.filter((m) => m.type === 'RECORD' && m.record.meta?.rejected === undefined).map((m) => m.record.data);
/** The lines that are no rows, each with its text, why, and where it is. */
export const rejectedOf = ({ messages }: Said) =>
  messages
    .filter((m) => m.type === 'RECORD' && m.record.meta?.rejected !== undefined)
    .map(({ record: { data, meta } }) => ({ raw: Buffer.from(data, 'latin1').toString(), ...meta.rejected }));
export const logsOf = ({ messages }: Said): string[] =>
  messages.filter((m) => m.type === 'LOG').map((m) => m.log.message);
export const statesOf = ({ messages }: Said) => messages.filter((m) => m.type === 'STATE').map((m) => m.state);
export const errorOf = ({ messages }: Said) => messages.find((m) => m.trace?.type === 'ERROR')?.trace.error;

/** Writes the result of a query as a Parquet file; `options` are those of DuckDB's COPY. */
export async function parquet(path: string, sql: string, options = ''): Promise<void> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet${options})`);
  connection.closeSync();
  instance.closeSync();
}
