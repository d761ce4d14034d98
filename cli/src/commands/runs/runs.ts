import { getRun } from '@weir/plugin-runs/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { finishRun } from '../../run/finish-run.ts';
import { watchRun } from '../../run/watch-run.ts';
import { STREAM_COLUMNS, SYNC_WAIT_MS } from '../sources/sources-sync.ts';

/** Waits for the end of a run that was started before, of any kind; the exit code is that of the run. */
export class RunsWait extends WeirCommand {
  static override paths = [['runs', 'wait']];
  static override usage = Command.Usage({
    category: 'Runs',
    description: 'Wait for the end of a run of any kind, by run id or workflow id',
    details:
      'Ends as the run does: 0 when it succeeded or was skipped, 1 when it failed, 8 when it was cancelled. Of a sync the streams are shown. Ctrl-C and the time limit (1h) leave the run going.',
    examples: [['At most ten minutes', 'weir runs wait 01900000-0000-7000-8000-000000000000 --timeout 10m']],
  });

  run = Option.String({ name: 'run_id' });

  protected override isWaiting(): boolean {
    return true;
  }

  async execute(): Promise<number> {
    const api = await this.api();
    const { kind, run_id, subject } = await api.call(getRun, { params: { id: this.run } });
    const watching = await this.watching(SYNC_WAIT_MS);
    if (kind !== 'source-sync') {
      const ended = await watchRun(api, run_id, watching);
      await this.show(ended);
      return finishRun(ended, api);
    }
    const { watchSync } = await import('../../run/watch-sync.ts');
    const ended = await watchSync(api, { sourceId: subject.id, runId: run_id }, watching);
    await this.show(this.format() === 'table' ? ended.streams : ended, { columns: STREAM_COLUMNS });
    return finishRun(ended, api);
  }
}
