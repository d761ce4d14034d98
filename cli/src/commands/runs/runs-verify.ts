import { type SyncVerificationView, verifySync } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { exitCode, exitOfRun } from '../../exit-codes.ts';
import { runError } from '../../run/finish-run.ts';
import { watchVerification } from '../../run/watch-verification.ts';

const COLUMNS = ['dataset_id', 'verdict', 'figure', 'receipt', 'table', 'reason'];
const WAIT_MS = 3_600_000;

/** Has the receipt of a sync held against its tables, waits, and ends with 1 unless every figure is equal. */
export class RunsVerify extends WeirCommand {
  static override paths = [['runs', 'verify']];
  static override usage = Command.Usage({
    category: 'Runs',
    description: verifySync.summary,
    details:
      'A worker derives the figures again from the files of the tables alone. The command waits and ends with 1 when a figure differs, or could not be derived.',
    examples: [['One sync', 'weir runs verify 01900000-0000-7000-8000-000000000000']],
  });

  run = Option.String({ name: 'sync_run_id' });
  queue = Option.Boolean('--queue', false, { description: 'Accept the run although no worker polls for it' });

  protected override isWaiting(): boolean {
    return true;
  }

  async execute(): Promise<number> {
    const api = await this.api();
    const params = { sync_run_id: this.run };
    const started = await api.call(verifySync, { params, query: this.queue ? { queue: true } : {} });
    if (started.warning) this.note(`warning: ${started.warning.detail}`);
    const key = { syncRunId: this.run, runId: started.run_id };
    const ended = await watchVerification(api, key, await this.watching(WAIT_MS));
    if (exitOfRun(ended.status) !== 'ok' || ended.outcome === null) throw runError(ended, api);
    const { outcome } = ended;
    const people = this.format() === 'table' || this.format() === 'wide';
    await this.show(people ? figuresOf(outcome) : outcome, { columns: COLUMNS });
    if (people) this.note(SENTENCES[outcome.verdict]);
    return exitCode(outcome.verdict === 'equal' ? 'ok' : 'failed');
  }
}

const SENTENCES: Readonly<Record<SyncVerificationView['verdict'], string>> = {
  equal: 'Every figure of the receipt was found in the tables.',
  different: 'The tables differ from the receipt.',
  unverifiable: 'Some figures could not be derived from the tables again.',
};

/** One line for each figure, and one for a stream without any. */
function figuresOf({ streams }: SyncVerificationView): Record<string, unknown>[] {
  return streams.flatMap(({ dataset_id, verdict, reason, figures }): Record<string, unknown>[] => {
    if (figures.length === 0) return [{ dataset_id, verdict, figure: null, receipt: null, table: null, reason }];
    return figures.map(({ figure, receipt, table, equal }) => {
      const found = equal ? 'equal' : 'different';
      return { dataset_id, verdict: found, figure, receipt, table, reason };
    });
  });
}
