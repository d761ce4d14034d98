import { getSyncRun } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand } from '../command.ts';
import { endpointCommand } from '../endpoint/endpoint-command.ts';
import { finishRun } from '../run/finish-run.ts';
import { STREAM_COLUMNS, SYNC_WAIT_MS } from './sources-sync.ts';

export const RunsGet = endpointCommand({ ...getSyncRun, cli: 'runs get' });

/** Waits for the end of a sync that was started before, whatever its source; the exit code is that of the sync. */
export class RunsWait extends WeirCommand {
  static override paths = [['runs', 'wait']];
  static override usage = Command.Usage({
    category: 'Runs',
    description: 'Wait for the end of a sync, by run id or workflow id',
    details:
      'Ends as the sync does: 0 when it succeeded or was skipped, 1 when it failed, 8 when it was cancelled. Ctrl-C and the time limit (1h) leave the sync going.',
    examples: [['At most ten minutes', 'weir runs wait 01900000-0000-7000-8000-000000000000 --timeout 10m']],
  });

  run = Option.String({ name: 'run_id' });

  protected override isWaiting(): boolean {
    return true;
  }

  async execute(): Promise<number> {
    const api = await this.api();
    const { source_id, run_id } = await api.call(getSyncRun, { params: { workflow_id: this.run } });
    const { watchSync } = await import('../run/watch-sync.ts');
    const ended = await watchSync(api, { sourceId: source_id, runId: run_id }, await this.watching(SYNC_WAIT_MS));
    await this.show(this.format() === 'table' ? ended.streams : ended, { columns: STREAM_COLUMNS });
    return finishRun(ended);
  }
}
