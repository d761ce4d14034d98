import {
  type Catalog,
  type CatalogStream,
  defineSource,
  type Emit,
  objectSchema,
  type Source,
  type SourceError,
  type StreamLook,
  type UndescribedStream,
} from '@weir/connector-sdk';
import { createEgress, type Egress, egressSettings } from '@weir/egress';
import { isOfFile } from './changes/file-account.ts';
import { readStream } from './changes/read-stream.ts';
import { chosenTypes } from './columns/chosen-types.ts';
import { factsSchema, settledColumns, unitedColumns } from './columns/column-type.ts';
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
import { type Described, lookAt, type Ready, unseen } from './look/look-stream.ts';
import { describeFile } from './read-file.ts';
import { type ReadyFile, withReadyFile } from './ready-file.ts';
import { MAX_SAVED_BYTES } from './save-bytes.ts';
import type { FileStream, SourceFile } from './source-file.ts';

/** How many addresses a check asks for their first byte. */
const MAX_PROBES = 20;

export type FilesSourceDeps = {
  /** The way to files behind addresses; made when one is asked for, as the operator's settings may be wrong. */
  readonly egress: () => Egress;
  /** The folders that the operator opens. */
  readonly bounds: () => Promise<FolderBounds>;
  /** Whether the platform asks for looks of what is discovered. */
  readonly looks?: () => boolean;
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
      const listed = await streamsOf(config);
      const looks: StreamLook[] | undefined = deps.looks?.() === true ? [] : undefined;
      return describeStreams(listed, { ready, log, looks });
    },
    read: async (context) => readStream(context, await streamsOf(context.config), readerOf(context.signal)),
  });
}

/** How many streams are looked at. */
const MAX_LOOKS = 50;

type Describing = { readonly ready: Ready; readonly log: Emit['log']; readonly looks: StreamLook[] | undefined };

/**
 * The streams that can be described, and why others cannot be; those stay as the platform knows them. The reason is thrown
 * where no stream can be described, and where it is no fault of the files.
 */
async function describeStreams(listed: readonly FileStream[], describing: Describing): Promise<Catalog> {
  const { log, looks } = describing;
  const isLooked = () => looks !== undefined && looks.length < MAX_LOOKS;
  const streams: CatalogStream[] = [];
  const undescribed: UndescribedStream[] = [];
  let failure: SourceError | undefined;
  const pass = async (what: string, name: string, error: SourceError): Promise<void> => {
    failure ??= error;
    const { code, message, hint } = error;
    undescribed.push({ name, code, message, ...(hint === undefined ? {} : { hint }) });
    await log('WARN', `The ${what} ${name} cannot be described (${code}). ${message}. ${hint ?? ''}`);
  };
  for (const stream of listed) {
    try {
      const { broken, ...described } = await describeStream(stream, describing);
      for (const [file, error] of broken) await pass('file', file.name, error);
      const files = stream.files.filter((file) => !broken.has(file));
      if (isLooked() && isHere(stream)) looks?.push(await lookAt({ ...stream, files }, described, describing.ready));
      streams.push(catalogStream(stream.name, described.columns));
    } catch (error) {
      if (listed.length === 1 || !isOfFile(error)) throw error;
      if (isLooked()) looks?.push(unseen(stream));
      await pass('stream', stream.name, error);
    }
  }
  if (streams.length === 0 && failure !== undefined) throw failure;
  return { streams, ...(undescribed.length === 0 ? {} : { undescribed }), ...(looks === undefined ? {} : { looks }) };
}

/** A file behind an address is not fetched a second time. */
const isHere = ({ files }: FileStream) => files.every(({ place }) => 'path' in place);

/** What to do where the first line of a file is no header. */
const DATA_HEADER = 'its first line names the columns and looks like a row; declare header: false if it is one';

/** Why columns of days are text, and how many are named. */
const OPEN_ORDER = 'the days may be read as day and month or as month and day; they stay text';
const MAX_TOLD = 10;

/**
 * The stream's columns as its files show them, united by name and each as wide as the widest; the values of CSV and JSON
 * files are taken together. Empty CSV files have no say: only where no file has a header it is missing. A file that cannot be
 * described is `broken` where another one can.
 */
async function describeStream(
  { name, files, types = [] }: FileStream,
  { ready, log }: Pick<Describing, 'ready' | 'log'>,
): Promise<Described & { readonly broken: ReadonlyMap<SourceFile, SourceError> }> {
  const shown: Shown = { seen: new Map(), declared: new Map(), described: 0, headerLikeRow: undefined };
  const broken = new Map<SourceFile, SourceError>();
  for (const file of files) {
    try {
      await ready(file, (found) => describeOne(found, file, shown, log));
    } catch (error) {
      if (!isOfFile(error)) throw error;
      broken.set(file, error);
    }
    if (shown.seen.size + shown.declared.size > MAX_COLUMNS) throw fault('too_many_columns', file.name);
  }
  const { seen, declared, described, headerLikeRow } = shown;
  const [first] = broken.values();
  if (described === 0 && first !== undefined) throw first;
  if (described === 0) assertHeader(files, () => true);
  const open = [...seen].flatMap(([name, facts]) =>
    'formats' in facts && facts.formats.length > 1 && !types.some(({ column }) => column === name) ? [name] : [],
  );
  if (open.length > 0) await log('WARN', `${name}: ${open.slice(0, MAX_TOLD).join(', ')}: ${OPEN_ORDER}`);
  const typed = new Map([...seen].map(([name, facts]) => [name, factsSchema(facts)]));
  const columns = chosenTypes(unitedColumns(declared, typed), { seen, choices: types });
  return { columns: settledColumns(columns), open, headerLikeRow, broken };
}

/** What the files of a stream have shown so far. */
type Shown = {
  readonly seen: SeenFacts;
  declared: Described['columns'];
  described: number;
  headerLikeRow: string | undefined;
};

async function describeOne(found: ReadyFile, file: SourceFile, shown: Shown, log: Emit['log']): Promise<void> {
  const { seen } = shown;
  const isJson = file.format === 'json' || file.format === 'jsonl';
  const own = isJson ? await sampleJson(found, seen) : await describeFile(found);
  shown.described += 1;
  if (own === undefined) return;
  if ('declared' in own) shown.declared = unitedColumns(shown.declared, own.declared);
  else {
    if (shown.headerLikeRow === undefined && file.header !== false && looksLikeData(own.facts)) {
      shown.headerLikeRow = file.name;
      await log('WARN', `${file.name}: ${DATA_HEADER}`);
    }
    for (const [name, facts] of own.facts) seen.set(name, mergeFacts(seen.get(name) ?? NONE, facts));
  }
}

function catalogStream(name: string, columns: Described['columns']): CatalogStream {
  return {
    name,
    json_schema: objectSchema(columns),
    supported_sync_modes: ['full_refresh', 'incremental'],
    source_defined_cursor: true,
    is_resumable: true,
    is_file_based: true,
  };
}
