import { type CatalogStream, defineSource, type ReadContext, type Source } from '@weir/connector-sdk';
import { widerSchema } from './column-type.ts';
import { CONFIG_SCHEMA, parseConfig } from './config.ts';
import { fault } from './fault.ts';
import { planFiles, withFile } from './file-state.ts';
import { type FileStream, listStreams } from './list-files.ts';
import { type Columns, describeFile, readFile } from './read-file.ts';

/** CSV and Parquet files of a local folder. One stream is one or more files of the same columns. */
export const filesSource: Source = defineSource({
  spec: { connectionSpecification: CONFIG_SCHEMA },
  async check(config) {
    await listStreams(parseConfig(config));
  },
  async discover(config) {
    const streams: CatalogStream[] = [];
    for (const stream of await listStreams(parseConfig(config))) streams.push(await describeStream(stream));
    return { streams };
  },
  read: readStream,
});

/** The stream as its files show it: the same names in all of them, each column as wide as the widest. */
async function describeStream({ name, files }: FileStream): Promise<CatalogStream> {
  let columns: Columns | undefined;
  for (const file of files) {
    const found = await describeFile(file);
    columns = columns === undefined ? found : merged(columns, found, file.name);
  }
  return {
    name,
    json_schema: { type: 'object', properties: columns ?? {} },
    supported_sync_modes: ['full_refresh', 'incremental'],
    source_defined_cursor: true,
    is_resumable: true,
    is_file_based: true,
  };
}

function merged(columns: Columns, found: Columns, where: string): Columns {
  const names = Object.keys(columns);
  const same = names.length === Object.keys(found).length && names.every((name) => Object.hasOwn(found, name));
  if (!same) throw fault('schema_mismatch', where);
  return Object.fromEntries(names.map((name) => [name, widerSchema(columns[name] ?? {}, found[name] ?? {})]));
}

/** Reads the files that are new or changed since the state, in the order of their names, with a STATE after each whole file. */
async function readStream({ config, stream, state, emit, emittedAt, signal }: ReadContext): Promise<void> {
  const descriptor = { name: stream.stream.name };
  const listed = (await listStreams(parseConfig(config))).find((found) => found.name === descriptor.name);
  if (listed === undefined) throw fault('stream_unknown');
  const columns = (stream.stream.json_schema.properties ?? {}) as Columns;
  const plan = planFiles(listed.files, state);
  let reached = plan.state;
  for (const file of plan.toRead) {
    signal.throwIfAborted();
    await readFile(file, { stream: descriptor, columns, emittedAt, onLines: emit.lines, signal });
    reached = withFile(reached, file);
    await emit.state(reached);
  }
}
