import {
  type Catalog,
  type CatalogStream,
  defineSource,
  type Emit,
  objectSchema,
  type Source,
  SourceError,
  type UndescribedStream,
} from '@weir/connector-sdk';
import { createEgress, type Egress, egressSettings } from '@weir/egress';
import { readStream } from './changes/read-stream.ts';
import { type ColumnMap, factsSchema, settledColumns, unitedColumns } from './columns/column-type.ts';
import { looksLikeData } from './columns/data-header.ts';
import { mergeFacts, NONE } from './columns/value-facts.ts';
import { parseConfig } from './config.ts';
import { CONFIG_SCHEMA } from './config-schema.ts';
import { MAX_COLUMNS } from './csv-file.ts';
import { fault } from './fault.ts';
import { fetchFault, probeFile } from './fetch-file.ts';
import { assertHeader } from './file-state.ts';
import type { FolderBounds } from './folder-bounds.ts';
import type { SeenFacts } from './json-columns.ts';
import { sampleJson } from './json-file.ts';
import { listStreams } from './list-streams.ts';
import { describeFile } from './read-file.ts';
import { type ReadyFile, withReadyFile } from './ready-file.ts';
import { MAX_SAVED_BYTES } from './save-bytes.ts';
import type { FileStream } from './source-file.ts';

/** How many addresses a check asks for their first byte. */
const MAX_PROBES = 20;

export type FilesSourceDeps = {
  /** The way to files behind addresses; made when one is asked for, as the operator's settings may be wrong. */
  readonly egress: () => Egress;
  /** The folders that the operator opens. */
  readonly bounds: () => Promise<FolderBounds>;
};

/** The way out that the operator's settings in an environment allow. */
export function operatorEgress(environment: Readonly<Record<string, string | undefined>>): Egress {
  return createEgress({ ...egressSettings(environment), maxBytes: MAX_SAVED_BYTES });
}

/** CSV, Parquet, JSON and JSONL files of a folder or of addresses. A stream has the columns of all of its files, united by name. */
export function filesSource(deps: FilesSourceDeps): Source {
  const egress = () => {
    try {
      return deps.egress();
    } catch (error) {
      throw fetchFault(error, 'the environment') ?? error;
    }
  };
  const streamsOf = async (config: unknown) => listStreams(parseConfig(config), await deps.bounds());
  const readerOf = (signal: AbortSignal) => ({ egress, known: undefined, signal });
  return defineSource({
    spec: { connectionSpecification: CONFIG_SCHEMA },
    async check(config) {
      const files = (await streamsOf(config)).flatMap((stream) => stream.files);
      for (const { place, ...file } of files.slice(0, MAX_PROBES)) {
        if ('url' in place) await probeFile(egress(), { ...file, place });
      }
    },
    async discover(config, log) {
      const reader = readerOf(new AbortController().signal);
      const ready: Ready = async (file, use) => void (await withReadyFile(file, reader, use));
      return describeStreams(await streamsOf(config), ready, log);
    },
    read: async (context) => readStream(context, await streamsOf(context.config), readerOf(context.signal)),
  });
}

type Ready = (file: FileStream['files'][number], use: (ready: ReadyFile) => Promise<void>) => Promise<void>;

/**
 * The streams that can be described, and why others cannot be; those stay as the platform knows them. The reason is thrown
 * where no stream can be described, and where it is no fault of the files.
 */
async function describeStreams(listed: readonly FileStream[], ready: Ready, log: Emit['log']): Promise<Catalog> {
  const streams: CatalogStream[] = [];
  const undescribed: UndescribedStream[] = [];
  let failure: SourceError | undefined;
  for (const stream of listed) {
    try {
      streams.push(catalogStream(stream.name, await describeStream(stream, ready, log)));
    } catch (error) {
      if (listed.length === 1 || !(error instanceof SourceError) || error.type === 'system_error') throw error;
      failure ??= error;
      const { code, message, hint } = error;
      undescribed.push({ name: stream.name, code, message, ...(hint === undefined ? {} : { hint }) });
      await log('WARN', `The stream ${stream.name} cannot be described (${code}). ${message}. ${hint ?? ''}`);
    }
  }
  if (streams.length === 0 && failure !== undefined) throw failure;
  return undescribed.length === 0 ? { streams } : { streams, undescribed };
}

/** What to do where the first line of a file is no header. */
const DATA_HEADER = 'its first line names the columns and looks like a row; declare header: false if it is one';

/** Why columns of days are text, and how many are named. */
const OPEN_ORDER = 'the days may be read as day and month or as month and day; they stay text';
const MAX_TOLD = 10;

/**
 * The stream's columns as its files show them, united by name and each as wide as the widest; the values of CSV and JSON
 * files are taken together. Empty CSV files have no say: only where no file has a header it is missing.
 */
async function describeStream({ name, files }: FileStream, ready: Ready, log: Emit['log']): Promise<ColumnMap> {
  const seen: SeenFacts = new Map();
  let declared: ColumnMap = new Map();
  let isEmpty = true;
  let isWarned = false;
  for (const file of files) {
    await ready(file, async (found) => {
      if (file.format === 'json' || file.format === 'jsonl') return sampleJson(found, seen);
      isEmpty = false;
      const own = await describeFile(found);
      if ('declared' in own) declared = unitedColumns(declared, own.declared);
      else {
        if (!isWarned && file.header !== false && looksLikeData(own.facts)) {
          isWarned = true;
          await log('WARN', `${file.name}: ${DATA_HEADER}`);
        }
        for (const [name, facts] of own.facts) seen.set(name, mergeFacts(seen.get(name) ?? NONE, facts));
      }
      if (seen.size + declared.size > MAX_COLUMNS) throw fault('too_many_columns', file.name);
    });
  }
  if (isEmpty) assertHeader(files, () => true);
  const open = [...seen].flatMap(([name, facts]) => ('formats' in facts && facts.formats.length > 1 ? [name] : []));
  if (open.length > 0) await log('WARN', `${name}: ${open.slice(0, MAX_TOLD).join(', ')}: ${OPEN_ORDER}`);
  const shown = new Map([...seen].map(([name, facts]) => [name, factsSchema(facts)]));
  return settledColumns(unitedColumns(declared, shown));
}

function catalogStream(name: string, columns: ColumnMap): CatalogStream {
  return {
    name,
    json_schema: objectSchema(columns),
    supported_sync_modes: ['full_refresh', 'incremental'],
    source_defined_cursor: true,
    is_resumable: true,
    is_file_based: true,
  };
}
