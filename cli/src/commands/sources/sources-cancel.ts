import { cancelSync, getSyncStatus } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { sourceId } from '../../command/source-id.ts';
import type { Api } from '../../connection/api.ts';
import { STREAM_COLUMNS, SYNC_WAIT_MS } from './sources-sync.ts';

/** Cancels a sync, named by itself or by its source. */
export class SourcesCancel extends WeirCommand {
  static override paths = [['sources', 'cancel']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: cancelSync.summary,
    details: 'Takes a run id, a workflow id, or the name or id of a source, whose open sync is meant then.',
    examples: [
      ['The open sync of a source', 'weir sources cancel shop'],
      ['Wait until it has ended', 'weir sources cancel shop -w'],
    ],
  });

  run = Option.String({ name: 'run_or_source' });
  wait = Option.Boolean('-w,--wait', false, { description: 'Wait for the end; fails when the cancel came too late' });

  async execute(): Promise<number> {
    const api = await this.api();
    const answer = (await this.asRun(api)) ?? (await cancelOpen(api, await sourceId(api, this.run)));
    if (this.wait) return this.waitFor(api, answer);
    await this.show(answer);
    if (answer.outcome === 'cancelling')
      this.note(`near its end a sync may still succeed; how it stands: weir sources runs get ${answer.run_id}`);
    return 0;
  }

  private async waitFor(api: Api, { source_id, run_id }: { source_id: string; run_id: string }): Promise<number> {
    const { watchSync } = await import('../../run/watch-sync.ts');
    const ended = await watchSync(api, { sourceId: source_id, runId: run_id }, await this.watching(SYNC_WAIT_MS));
    await this.show(this.format() === 'table' ? ended.streams : ended, { columns: STREAM_COLUMNS });
    if (ended.status === 'cancelled') return 0;
    throw new CliError('conflict', `The cancel came too late: the sync ended ${ended.status}.`, {
      code: 'run_not_active',
      hint: `weir sources runs get ${run_id} shows what it committed.`,
    });
  }

  /** Undefined when what was given names no sync, so that it may name a source. */
  private async asRun(api: Api) {
    if (!/[-:]/.test(this.run)) return undefined;
    return api.call(cancelSync, { params: { sync_run_id: this.run } }).catch((error: unknown) => {
      if (error instanceof CliError && error.exit === 'notFound') return undefined;
      throw error;
    });
  }
}

async function cancelOpen(api: Api, source_id: string) {
  const { run } = await api.call(getSyncStatus, { params: { source_id } });
  if (run === null || run.is_terminal) {
    throw new CliError('conflict', 'No sync of this source is open.', {
      code: 'run_not_active',
      hint: 'weir sources history shows how the last ones ended.',
    });
  }
  return api.call(cancelSync, { params: { sync_run_id: run.run_id } });
}
