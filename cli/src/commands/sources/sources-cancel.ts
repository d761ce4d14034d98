import { cancelSync, getSyncStatus } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { sourceId } from '../../command/source-id.ts';
import type { Api } from '../../connection/api.ts';

/** Cancels a sync, named by itself or by its source. */
export class SourcesCancel extends WeirCommand {
  static override paths = [['sources', 'cancel']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: cancelSync.summary,
    details: 'Takes a run id, a workflow id, or the name or id of a source, whose open sync is meant then.',
    examples: [['The open sync of a source', 'weir sources cancel shop']],
  });

  run = Option.String({ name: 'run_or_source' });

  async execute(): Promise<number> {
    const api = await this.api();
    const answer = (await this.asRun(api)) ?? (await cancelOpen(api, await sourceId(api, this.run)));
    await this.show(answer);
    if (answer.outcome === 'cancelling') this.note(`how it stands: weir sources runs get ${answer.run_id}`);
    return 0;
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
