import { type LeftOutView, type StreamRunView, type SyncRunDetailView, startSync } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { sourceId } from '../../command/source-id.ts';
import type { Api } from '../../connection/api.ts';
import { type ExitName, exitCode, exitOfRun, exitOfSeveral } from '../../exit-codes.ts';
import { finishRun, runError } from '../../run/finish-run.ts';
import { labelOf } from '../streams/sources-streams-set.ts';

/** How long a sync is waited for unless --timeout says otherwise. */
export const SYNC_WAIT_MS = 3_600_000;

/** Starts syncs, and waits for their ends when asked to. */
export class SourcesSync extends WeirCommand {
  static override paths = [['sources', 'sync']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: startSync.summary,
    details:
      'Waiting ends at any end of the run. Ctrl-C and the time limit leave the run going; weir sources cancel ends it.',
    examples: [['Sync and wait at most ten minutes', 'weir sources sync shop -w --timeout 10m']],
  });

  sources = Option.Rest({ name: 'source_id', required: 1 });
  wait = Option.Boolean('-w,--wait', false, { description: 'Wait for the end; --timeout limits the wait (1h)' });
  queue = Option.Boolean('--queue', false, { description: 'Accept the runs although no worker polls for them' });
  run = Option.String('--run', { description: 'Wait for this run, which was started before, instead of starting one' });

  async execute(): Promise<number> {
    if (this.run !== undefined && this.sources.length > 1) throw new CliError('usage', '--run belongs to one source.');
    const api = await this.api();
    if (!this.wait) return this.startAll(api);
    if (this.sources.length > 1) return this.waitForAll(api);
    const ended = await this.syncOne(api, this.sources[0] as string);
    await this.show(this.format() === 'table' ? ended.streams : ended, { columns: STREAM_COLUMNS });
    this.noteLost(ended);
    return finishRun(ended, api);
  }

  private async startAll(api: Api): Promise<number> {
    const started = [];
    for (const source of this.sources) started.push(await this.start(api, await sourceId(api, source)));
    const isTable = this.format() === 'table';
    const shown = started.map(({ warning, ...ids }) => (isTable || warning === undefined ? ids : { ...ids, warning }));
    await this.show(shown.length === 1 ? shown[0] : { items: shown });
    for (const [at, { run_id }] of started.entries())
      this.note(`watch: weir sources logs ${this.sources[at]} -f; wait: weir runs wait ${run_id}`);
    return 0;
  }

  private async waitForAll(api: Api): Promise<number> {
    const results = await Promise.allSettled(this.sources.map((source) => this.syncOne(api, source)));
    const endings: ExitName[] = [];
    const ended: SyncRunDetailView[] = [];
    for (const [i, result] of results.entries()) {
      const failed = result.status === 'rejected' ? asError(result.reason) : undefined;
      endings.push(result.status === 'fulfilled' ? exitOfRun(result.value.status) : (failed as CliError).exit);
      if (result.status === 'fulfilled') ended.push(result.value);
      else this.note(`${this.sources[i]}: ${(failed as CliError).message}`);
      if (result.status === 'fulfilled' && exitOfRun(result.value.status) !== 'ok') {
        this.note(`${this.sources[i]}: ${runError(result.value, api).message}`);
      }
    }
    await this.show({ items: ended }, { columns: RUN_COLUMNS });
    for (const run of ended) this.noteLost(run);
    return exitCode(exitOfSeveral(endings));
  }

  /** Not all is in the table where a merge kept the last row of a key, and where the read left something out. */
  private noteLost({ streams, source_id: source }: SyncRunDetailView): void {
    for (const stream of streams) {
      const { dataset_id: table, rows_written: written, rows_deduplicated: count, left_out: left } = stream;
      const kept = keptText(stream, source);
      if (kept !== undefined) this.note(`${table}: ${kept}`);
      if (count)
        this.note(`${table}: ${count} of ${written} rows shared their key with a later row; the last one was kept`);
      for (const one of left.slice(0, MAX_LEFT_OUT_LINES)) this.note(`${table}: ${leftOutText(one)}`);
      const more = left.length - MAX_LEFT_OUT_LINES;
      if (more > 0) this.note(`${table}: ${more} more notes; -o json shows them`);
    }
  }

  private async start(api: Api, id: string): Promise<Started> {
    if (this.run !== undefined) return { run_id: this.run };
    const query = this.queue ? { queue: true } : {};
    const started = await api.call(startSync, { params: { source_id: id }, query });
    if (started.warning) this.note(`warning: ${started.warning.detail}`);
    return started;
  }

  private async syncOne(api: Api, source: string): Promise<SyncRunDetailView> {
    const id = await sourceId(api, source);
    const { run_id: runId } = await this.start(api, id);
    const { watchSync } = await import('../../run/watch-sync.ts');
    return watchSync(api, { sourceId: id, runId }, await this.watching(SYNC_WAIT_MS, this.sources.length > 1));
  }
}

/** A run that was started, or one from before. */
interface Started {
  run_id: string;
  warning?: { detail: string } | null;
}

/** So many notes on what was left out are printed of a stream. */
const MAX_LEFT_OUT_LINES = 10;

/** Fields that the table lacks a column for, and how many rows have them all the same; undefined without such a field. */
export function keptText(
  { name, namespace, schema_changes: changes, rows_with_extra: rows }: StreamRunView,
  source: string,
): string | undefined {
  const fields = changes.filter(({ change }) => change === 'captured').map(({ field }) => field);
  if (fields.length === 0) return undefined;
  const where = `_extra of ${rows === 1 ? '1 row has' : `${rows} rows has`} the values of ${fields.join(', ')}`;
  return `${where}, which lack a column; weir sources streams set ${source} ${labelOf({ name, namespace })} --schema-changes evolve makes columns`;
}

/** What a read left out or missed, as a line. */
function leftOutText({ kind, count, file, message }: LeftOutView): string {
  const why = message === null ? '' : `: ${message}`;
  if (kind === 'rows_left_out') return `${count === 1 ? '1 row was' : `${count} rows were`} left out${why}`;
  const others = count === 1 ? '' : ` and ${count - 1} more`;
  const are = count === 1 ? 'is' : 'are';
  return `${file ?? 'a file'}${others} ${are} ${kind === 'file_gone' ? 'gone, and the rows stay' : `left out${why}`}`;
}

/** What is shown of each stream of a sync that has ended. */
export const STREAM_COLUMNS = [
  'dataset_id',
  'status',
  'rows_read',
  'rows_written',
  'rows_with_errors',
  'rows_rejected',
  'commits',
  'snapshot_id',
];
const RUN_COLUMNS = ['source_id', 'run_id', 'status', 'verdict', 'rows_read', 'rows_written'];

const asError = (error: unknown) =>
  error instanceof CliError ? error : new CliError('bug', error instanceof Error ? error.message : String(error));
