import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { counted } from '@weir/kernel/contract';
import { isReserved } from '@weir/plugin-datasets/contract';
import {
  createSource,
  createUpload,
  type DiscoveryStatusView,
  FILE_EMPTY,
  type FileAccount,
  getFileRoots,
  getUpload,
  hasLoadedFiles,
  listSources,
  listStreams,
  type SourceView,
  type StreamRunView,
  type StreamView,
  startDiscovery,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import * as t from 'typanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import type { Api } from '../../connection/api.ts';
import { exitCode } from '../../exit-codes.ts';
import { NARROW } from '../../output/fit.ts';
import { table } from '../../output/table.ts';
import { quoted } from '../../quoted.ts';
import { finishRun } from '../../run/finish-run.ts';
import { rowsOf } from '../datasets/datasets.ts';
import { SYNC_WAIT_MS } from '../sources/sources-sync.ts';
import { accountOf, endOf } from './account.ts';
import { commandLines } from './command-lines.ts';
import { firstRows, PREVIEWED_ROWS } from './first-rows.ts';
import { isOpen } from './is-open.ts';
import { globInUpload, sourceName, type ToLoad, whatToLoad } from './what-to-load.ts';

const MAX_STREAMS = 500;
const UPLOAD = /^upload:(.+)$/;

type Config = Record<string, unknown>;

/** From files or an address to rows, in one command. */
export class Load extends WeirCommand {
  static override paths = [['load']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: 'Load files or an address into tables, and show their first rows',
    details:
      'Creates a source, discovers it, enables its streams and syncs it. The same command again loads what is new. Files that the server may not read where they lie are sent to it.',
    examples: [
      ['A file', 'weir load orders.csv'],
      ['Files of one table, under another name', 'weir load "orders-*.csv" --as shop'],
      ['Every file of a folder, each a table', 'weir load ./data'],
      ['An address', 'weir load https://example.org/weather.parquet'],
    ],
  });

  what = Option.String({ name: 'file_folder_glob_or_url' });
  as = Option.String('--as', { description: 'Name of the source; made of the file name unless given' });
  upload = Option.Boolean('--upload', {
    description: 'Send the files to the server, or --no-upload: let it read them; seen by itself unless given',
  });

  /** Files without a byte, of which there is nothing to load. */
  private empty: ReadonlySet<string> = new Set();

  strict = Option.Boolean('--strict', false, {
    description: 'End with 9 also when a value was marked or a line went to quarantine',
  });
  dryRun = Option.Boolean('--dry-run', false, {
    description: 'Say which tables with which columns would be made, and what would be left out; load nothing',
  });
  fileFormat = Option.String('--format', {
    description: 'csv, parquet, json or jsonl, where the ending does not say it',
  });
  delimiter = Option.String('--delimiter', { description: 'The sign between fields of CSV files' });
  encoding = Option.String('--encoding', { description: 'Of text files; seen from the file unless given' });
  noHeader = Option.Boolean('--no-header', false, { description: 'CSV files begin with a row, not with names' });
  skipLines = Option.String('--skip-lines', {
    description: 'Lines above the header of CSV files, such as a title',
    validator: t.isNumber(),
  });

  async execute(): Promise<number> {
    const meant = await whatToLoad(this.what, this.context.cwd, this.fileFormat !== undefined);
    const name = this.as ?? meant.name;
    const what = { ...meant, name };
    if (what.kind === 'files') await this.leaveOutEmpty(what);
    if (this.as !== undefined && sourceName(this.as) !== this.as) {
      throw new CliError('usage', '--as takes a lower-case letter, then letters, digits, - and _.');
    }
    const api = await this.api();
    if (this.dryRun) return this.look(api, what, name);
    const source = await this.sourceOf(api, what, name);
    const { source_id } = source;
    const { warnings } = await this.discovered(api, { source_id });
    const streams = await enabled(api, source_id);
    const { watchSync } = await import('../../run/watch-sync.ts');
    const { run_id: runId } = await api.call(startSync, { params: { source_id } });
    const ended = await watchSync(api, { sourceId: source_id, runId }, await this.watching(SYNC_WAIT_MS));
    const files = accountOf(what, { warnings, empty: this.empty }, ended.streams);
    const loaded = ended.streams.filter(hasLoadedFiles);
    // Where nothing was loaded, the reason of the run is the answer.
    if (loaded.length === 0 || ended.status === 'cancelled') {
      this.tellFiles(files);
      finishRun(ended, api);
    }
    const tables = loaded.map(told);
    await this.tell(api, { source, streams, tables, files });
    return exitCode(endOf(files, ended.streams, this.strict));
  }

  /** Throws where no file has a byte. */
  private async leaveOutEmpty(what: ToLoad & { kind: 'files' }): Promise<void> {
    this.empty = await withoutBytes(what);
    if (what.files.some((file) => !this.empty.has(file))) return;
    this.tellFiles(accountOf(what, { warnings: [], empty: this.empty }, []));
    throw new CliError('failed', 'Nothing was loaded: the files have no bytes.', {
      code: FILE_EMPTY.code,
      hint: 'Look at what writes them',
    });
  }

  /** What a discovery finds; what it cannot describe is told with the files. */
  private async discovered(api: Api, body: object): Promise<DiscoveryStatusView> {
    const { watchDiscovery } = await import('../../run/watch-discovery.ts');
    const { workflow_id } = await api.call(startDiscovery, { body: body as { source_id: string } });
    const found = await watchDiscovery(api, workflow_id, { ...(await this.watching()), isToldByCaller: () => true });
    finishRun(found, api);
    return found;
  }

  /** Says what would be loaded. Files that the server has to be sent are sent; nothing is kept of them but the upload. */
  private async look(api: Api, what: ToLoad, name: string): Promise<number> {
    const location = what.kind === 'files' && (await this.sends(api, what)) ? await this.sent(api, what) : undefined;
    const source_config = this.configOf(what, location, name);
    const { streams, warnings } = await this.discovered(api, { pattern_id: 'files', source_config });
    const would = (streams ?? []).map((stream) => ({
      name: stream.name,
      columns: columnsOf(stream.schema as RecordSchema),
    }));
    const left = warnings.map(leftOutNote);
    const ran = would.map(({ name: stream }) => ({
      ...WOULD,
      name: stream,
      files_left_out: left.length,
      left_out: left,
    }));
    const files = accountOf(what, { warnings, empty: this.empty }, ran);
    if (this.format() !== 'table' || this.query !== undefined) await this.show({ name, streams: would, files });
    else {
      for (const { name: stream, columns } of would) {
        const lines = columns.map((one) => `  ${one.name}  ${one.type}\n`);
        this.context.stdout.write(`${stream}\n${lines.join('')}`);
      }
      this.tellFiles(files);
      this.note('nothing was loaded: leave out --dry-run to load it');
    }
    const isLeft = files.some(({ status }) => status === 'left_out');
    return exitCode(isLeft ? 'mixed' : 'ok');
  }

  private tellFiles(files: readonly FileAccount[]): void {
    const notLoaded = files.filter(({ status }) => status !== 'loaded');
    for (const { name, status, code, reason } of notLoaded) {
      this.note(`${status === 'unknown' ? 'perhaps left out' : 'left out'}: ${name}: ${reason} (${code})`);
    }
    if (notLoaded.length > 0)
      this.note(`${files.length - notLoaded.length} of ${counted(files.length, 'file')} loaded`);
  }

  /** How its files are written, as far as it was said. */
  private written(): Config {
    const said = {
      ...{ format: this.fileFormat, delimiter: this.delimiter, encoding: this.encoding },
      ...{ header: this.noHeader ? false : undefined, skip_lines: this.skipLines },
    };
    return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  }

  private configOf(what: ToLoad, location: string | undefined, name: string): Config {
    return { ...configOf(what, location, name), ...this.written() };
  }

  /** The source of this name, or a new one; one that reads something else is not touched. */
  private async sourceOf(api: Api, what: ToLoad, name: string): Promise<SourceView> {
    const [known] = (await api.call(listSources, { query: { name } })).items;
    if (known === undefined) {
      const location = what.kind === 'files' && (await this.sends(api, what)) ? await this.sent(api, what) : undefined;
      const body = { name, pattern_id: 'files', source_config: this.configOf(what, location, name) };
      return api.call(createSource, { body });
    }
    const location = String(known.source_config.path ?? '');
    const uploaded = UPLOAD.exec(location)?.[1];
    const wanted = this.configOf(what, uploaded === undefined ? undefined : location, name);
    if (known.pattern_id !== 'files' || !isSame(known.source_config, wanted)) {
      throw new CliError('conflict', `The source ${name} reads something else.`, {
        code: 'source_differs',
        hint: 'Give this one another name: --as <name>',
      });
    }
    if (what.kind === 'files' && uploaded !== undefined) await this.sent(api, what, uploaded);
    return known;
  }

  /** Whether the server has to be sent the files: it is another machine's, or may not read one of them where it lies. */
  private async sends(api: Api, { folder, files }: { folder: string; files: readonly string[] }): Promise<boolean> {
    if (this.upload !== undefined) return this.upload;
    if (!(await this.connection()).isOwnServer) return true;
    const { roots } = await api.call(getFileRoots, {});
    return !(await isOpen(
      files.map((file) => path.join(folder, file)),
      roots,
    ));
  }

  private async sent(api: Api, what: ToLoad & { kind: 'files' }, uploadId?: string): Promise<string> {
    let upload = uploadId === undefined ? undefined : await api.call(getUpload, { params: { upload_id: uploadId } });
    for (const file of what.files.filter((one) => !this.empty.has(one))) {
      const content = await openAsBlob(path.join(what.folder, file));
      this.note(`sending ${file}, ${content.size} bytes`);
      const query = { name: file, ...(upload === undefined ? {} : { upload_id: upload.upload_id }) };
      upload = await api.call(createUpload, { query }, { content });
    }
    // Two names may be kept as one; then the second file stands in the place of the first.
    if (uploadId === undefined && upload !== undefined && upload.files.length < what.files.length - this.empty.size) {
      throw new CliError('conflict', 'Two of the files have names that the server keeps as one.', {
        code: 'upload_name_repeated',
        hint: 'Rename one of them: letters, digits and the signs . _ ( ) + = @ , & - are kept as they are.',
      });
    }
    return upload?.location ?? '';
  }

  /** The tables with their first rows, and the commands that do the same in steps. */
  private async tell(api: Api, { source, streams, tables, files }: Loaded): Promise<void> {
    const previews = await Promise.all(tables.map(({ dataset_id }) => firstRows(api, dataset_id)));
    const commands = longCommands(source, streams, tables);
    if (this.format() !== 'table' || this.query !== undefined) {
      const { source_id, name } = source;
      const loaded = tables.map((table, at) => ({
        ...table,
        columns: previews[at]?.columns,
        rows: previews[at]?.rows,
      }));
      const told = { tables: loaded, files, commands: commands.map((words) => words.join(' ')) };
      return this.show({ source_id, name, ...told });
    }
    for (const [at, { dataset_id, rows_written, rows_with_errors, rows_rejected }] of tables.entries()) {
      const { columns = [], rows = [] } = previews[at] ?? {};
      const own = columns.map(({ name }) => name).filter((name) => !isReserved(name));
      const isShown = previews[at] !== undefined;
      const lines = table(own, rowsOf({ columns, rows }), { width: NARROW - 2, isData: true })
        .trimEnd()
        .split('\n');
      const shown = isShown ? lines.map((line) => `  ${line}\n`).join('') : '  (rows too wide to be shown)\n';
      this.context.stdout.write(`${dataset_id}\n${shown}`);
      this.note(`${dataset_id}: ${counted(rows_written, 'row')} written now`);
      if (rows_with_errors > 0) {
        this.note(`  ${counted(rows_with_errors, 'row')} with values that did not fit: _errors of the row says which`);
      }
      if (rows_rejected > 0) {
        this.note(`  ${counted(rows_rejected, 'line')} in quarantine: weir datasets quarantine list ${dataset_id}`);
      }
    }
    this.tellFiles(files);
    this.note('the same in steps:');
    for (const words of commands) for (const line of commandLines(words, 78)) this.note(`  ${line}`);
  }
}

interface Loaded {
  source: SourceView;
  streams: readonly StreamView[];
  tables: readonly Told[];
  files: readonly FileAccount[];
}

/** What is told of a stream: the rows that its files have, and where each has gone. */
const TOLD = [
  ...(['dataset_id', 'status', 'rows_read', 'rows_written', 'rows_with_errors', 'rows_rejected'] as const),
  ...(['rows_deduplicated', 'rows_replaced', 'files_read', 'files_unchanged', 'files_left_out', 'files_gone'] as const),
] as const;
type RecordSchema = { properties?: Record<string, { type?: unknown; weir_type?: unknown; airbyte_type?: unknown }> };

type Told = Pick<StreamRunView, (typeof TOLD)[number]>;
const told = (stream: StreamRunView) => Object.fromEntries(TOLD.map((key) => [key, stream[key]])) as Told;

/** A stream of a look at what would be loaded. */
const WOULD = {
  ...({ status: 'succeeded', failure: null, rows_with_errors: 0, rows_rejected: 0 } as const),
  ...{ files_read: 0, files_unchanged: 0, files_left_out: 0, left_out: [] },
} as const;

/** A file that a discovery could not describe, as a sync notes it. */
const leftOutNote = ({ name, code, detail, hint }: DiscoveryStatusView['warnings'][number]) => ({
  ...({ kind: 'file_left_out', count: 1, file: name, code } as const),
  message: hint === null ? detail : `${detail} ${hint}`,
});

/** The columns of a stream with their types, in the words of the table where the connector says them. */
function columnsOf(schema: RecordSchema): { name: string; type: string }[] {
  const { properties = {} } = schema;
  const order = (schema as { weir_order?: readonly string[] }).weir_order ?? Object.keys(properties);
  return order.map((name) => {
    const { weir_type, type } = properties[name] ?? {};
    const json = [type].flat().find((one) => one !== 'null');
    return { name, type: String(weir_type ?? json ?? 'string') };
  });
}

async function withoutBytes({ folder, files }: { folder: string; files: readonly string[] }): Promise<Set<string>> {
  const sizes = await Promise.all(
    files.map(async (file) => ({ file, size: (await stat(path.join(folder, file)).catch(() => undefined))?.size })),
  );
  return new Set(sizes.flatMap(({ file, size }) => (size === 0 ? [file] : [])));
}

/** What was loaded before stays, and what is new is added. */
const NEW_ONLY = { sync_mode: 'incremental', write_mode: 'append' } as const;
const isIncremental = (supported: readonly string[] | null) => supported?.includes(NEW_ONLY.sync_mode) ?? false;

function configOf(what: ToLoad, location: string | undefined, name: string): Config {
  if (what.kind === 'url') return { url: what.url };
  const place = location ?? what.folder;
  const glob = location === undefined ? what.glob : globInUpload(what.glob);
  return what.isOne ? { path: place, streams: [{ name, glob }] } : { path: place };
}

const isSame = (known: Config, wanted: Config) =>
  ['path', 'url', 'streams', 'format', 'delimiter', 'encoding', 'header', 'skip_lines'].every(
    (key) => JSON.stringify(known[key]) === JSON.stringify(wanted[key]),
  );

/** Enables the streams that are not; what was found by a discovery before keeps how it was set. */
async function enabled(api: Api, source_id: string): Promise<StreamView[]> {
  const { items } = await api.call(listStreams, { params: { source_id }, query: { limit: MAX_STREAMS } });
  for (const { stream_id, enabled, supported_sync_modes: supported } of items) {
    if (!enabled) {
      const body = { enabled: true, ...(isIncremental(supported) ? NEW_ONLY : {}) };
      await api.call(updateStream, { params: { source_id, stream_id }, body });
    }
  }
  return items;
}

const modeFlags = ({ supported_sync_modes: supported }: StreamView) =>
  isIncremental(supported) ? [`--sync-mode ${NEW_ONLY.sync_mode}`, `--write-mode ${NEW_ONLY.write_mode}`] : [];

function longCommands(
  { name, source_config }: SourceView,
  streams: Loaded['streams'],
  tables: Loaded['tables'],
): string[][] {
  const settings = Object.entries(source_config as Config).map(([key, value]) =>
    quoted(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
  );
  return [
    [
      'weir sources create',
      '--pattern files',
      `--name ${name}`,
      ...settings.map((each) => `--set ${each}`),
      '--discover -w',
    ],
    ...streams.map((stream) => [
      `weir sources streams set ${name}`,
      quoted(stream.name),
      '--enable',
      ...modeFlags(stream),
    ]),
    [`weir sources sync ${name} -w`],
    ...tables.map(({ dataset_id }) => ['weir datasets preview', dataset_id, `--limit ${PREVIEWED_ROWS}`]),
  ];
}
