import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { counted } from '@weir/kernel/contract';
import { isReserved } from '@weir/plugin-datasets/contract';
import {
  createSource,
  createUpload,
  getFileRoots,
  getUpload,
  listSources,
  listStreams,
  type SourceView,
  type StreamView,
  startDiscovery,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import type { Api } from '../../connection/api.ts';
import { NARROW } from '../../output/fit.ts';
import { table } from '../../output/table.ts';
import { quoted } from '../../quoted.ts';
import { finishRun } from '../../run/finish-run.ts';
import { rowsOf } from '../datasets/datasets.ts';
import { SYNC_WAIT_MS } from '../sources/sources-sync.ts';
import { commandLines } from './command-lines.ts';
import { firstRows, PREVIEWED_ROWS } from './first-rows.ts';
import { isOpen } from './is-open.ts';
import { sourceName, type ToLoad, whatToLoad } from './what-to-load.ts';

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

  async execute(): Promise<number> {
    const what = await whatToLoad(this.what, this.context.cwd);
    const name = this.as ?? what.name;
    if (this.as !== undefined && sourceName(this.as) !== this.as) {
      throw new CliError('usage', '--as takes a lower-case letter, then letters, digits, - and _.');
    }
    const api = await this.api();
    const source = await this.sourceOf(api, what, name);
    const { source_id } = source;
    const { watchDiscovery } = await import('../../run/watch-discovery.ts');
    const { workflow_id } = await api.call(startDiscovery, { body: { source_id } });
    finishRun(await watchDiscovery(api, workflow_id, await this.watching()), api);
    const streams = await enabled(api, source_id);
    const { watchSync } = await import('../../run/watch-sync.ts');
    const { run_id: runId } = await api.call(startSync, { params: { source_id } });
    const ended = await watchSync(api, { sourceId: source_id, runId }, await this.watching(SYNC_WAIT_MS));
    const exit = finishRun(ended, api);
    const tables = ended.streams.map(({ dataset_id, rows_written, status }) => ({ dataset_id, rows_written, status }));
    await this.tell(api, { source, streams, tables });
    return exit;
  }

  /** The source of this name, or a new one; one that reads something else is not touched. */
  private async sourceOf(api: Api, what: ToLoad, name: string): Promise<SourceView> {
    const [known] = (await api.call(listSources, { query: { name } })).items;
    if (known === undefined) {
      const location = what.kind === 'files' && (await this.sends(api, what)) ? await this.sent(api, what) : undefined;
      const body = { name, pattern_id: 'files', source_config: configOf(what, location, name) };
      return api.call(createSource, { body });
    }
    const location = String(known.source_config.path ?? '');
    const uploaded = UPLOAD.exec(location)?.[1];
    const wanted = configOf(what, uploaded === undefined ? undefined : location, name);
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
    for (const file of what.files) {
      const content = await openAsBlob(path.join(what.folder, file));
      this.note(`sending ${file}, ${content.size} bytes`);
      const query = { name: file, ...(upload === undefined ? {} : { upload_id: upload.upload_id }) };
      upload = await api.call(createUpload, { query }, { content });
    }
    // Two names may be kept as one; then the second file stands in the place of the first.
    if (uploadId === undefined && upload !== undefined && upload.files.length < what.files.length) {
      throw new CliError('conflict', 'Two of the files have names that the server keeps as one.', {
        code: 'upload_name_repeated',
        hint: 'Rename one of them: letters, digits and the signs . _ ( ) + = @ , - are kept as they are.',
      });
    }
    return upload?.location ?? '';
  }

  /** The tables with their first rows, and the commands that do the same in steps. */
  private async tell(api: Api, { source, streams, tables }: Loaded): Promise<void> {
    const previews = await Promise.all(tables.map(({ dataset_id }) => firstRows(api, dataset_id)));
    const commands = longCommands(source, streams, tables);
    if (this.format() !== 'table' || this.query !== undefined) {
      const { source_id, name } = source;
      const loaded = tables.map((table, at) => ({
        ...table,
        columns: previews[at]?.columns,
        rows: previews[at]?.rows,
      }));
      return this.show({ source_id, name, tables: loaded, commands: commands.map((words) => words.join(' ')) });
    }
    for (const [at, { dataset_id, rows_written }] of tables.entries()) {
      const { columns = [], rows = [] } = previews[at] ?? {};
      const own = columns.map(({ name }) => name).filter((name) => !isReserved(name));
      const isShown = previews[at] !== undefined;
      const lines = table(own, rowsOf({ columns, rows }), { width: NARROW - 2, isData: true })
        .trimEnd()
        .split('\n');
      const shown = isShown ? lines.map((line) => `  ${line}\n`).join('') : '  (rows too wide to be shown)\n';
      this.context.stdout.write(`${dataset_id}\n${shown}`);
      this.note(`${dataset_id}: ${counted(rows_written, 'row')} written now`);
    }
    this.note('the same in steps:');
    for (const words of commands) for (const line of commandLines(words, 78)) this.note(`  ${line}`);
  }
}

interface Loaded {
  source: SourceView;
  streams: readonly StreamView[];
  tables: readonly { dataset_id: string; rows_written: number; status: string }[];
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

/** A glob for names as an upload keeps them: another sign stands where a name has one that is not kept. */
const globInUpload = (glob: string): string =>
  glob.normalize('NFC').replace(/[^\p{L}\p{N}\p{M} ._()+=@,*?[\]{}!\\-]/gu, '?');

const isSame = (known: Config, wanted: Config) =>
  ['path', 'url', 'streams'].every((key) => JSON.stringify(known[key]) === JSON.stringify(wanted[key]));

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
