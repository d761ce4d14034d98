import { listQuarantine } from '@weir/plugin-datasets/contract';
import { getReplay, startReplay } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand, widthOf } from '../../command/command.ts';
import type { Api } from '../../connection/api.ts';
import { cut } from '../../output/fit.ts';
import { finishRun } from '../../run/finish-run.ts';
import { waitForRun } from '../../run/wait-for-run.ts';

const COLUMNS = ['run_id', 'position', 'reason', 'line'];
const WIDE = ['run_id', 'stream', 'position', 'reason', 'source.file', 'source.line as at', 'truncated', 'line'];
/** How much of a line a table shows where no terminal says how wide it is. */
const SHOWN_CHARS = 200;

/** The lines that were rejected on their way into a dataset, and how many there are for each reason. */
export class DatasetsQuarantineList extends WeirCommand {
  static override paths = [['datasets', 'quarantine', 'list']];
  static override usage = Command.Usage({
    category: 'Datasets',
    description: listQuarantine.summary,
    details: listQuarantine.description ?? '',
    examples: [['Of one reason', 'weir datasets quarantine list bronze.demo.shop__orders --reason key_missing']],
  });

  dataset = Option.String({ name: 'dataset_id' });
  run = Option.String('--run', { description: 'Only the lines of this sync' });
  reason = Option.String('--reason', { description: 'Only the lines of this reason' });
  limit = Option.String('--limit', { description: 'How many at most' });
  pageToken = Option.String('--page-token', { description: 'Continue where the page before ended' });

  async execute(): Promise<number> {
    const api = await this.api();
    const found = await api.call(listQuarantine, {
      params: { dataset_id: this.dataset },
      query: {
        ...(this.run === undefined ? {} : { run_id: this.run }),
        ...(this.reason === undefined ? {} : { reason: this.reason }),
        ...(this.limit === undefined ? {} : { limit: this.limit as unknown as number }),
        ...(this.pageToken === undefined ? {} : { page_token: this.pageToken }),
      },
    });
    const isTable = this.format() === 'table' || this.format() === 'wide';
    const width = widthOf(this.context) ?? SHOWN_CHARS;
    const items = found.items.map((item) => ({ ...item, line: item.line && cut(item.line, width) }));
    await this.show(isTable ? { ...found, items } : found, { columns: COLUMNS, wide: WIDE });
    if (!isTable) return 0;
    this.note(countsOf(found.reasons));
    this.noteMore(found.next_page_token);
    return 0;
  }
}

/** Has rejected lines tried again, with the settings that their stream has now. */
export class DatasetsQuarantineReplay extends WeirCommand {
  static override paths = [['datasets', 'quarantine', 'replay']];
  static override usage = Command.Usage({
    category: 'Datasets',
    description: startReplay.summary,
    details: startReplay.description ?? '',
    examples: [['All of them, and wait', 'weir datasets quarantine replay bronze.demo.shop__orders -w']],
  });

  dataset = Option.String({ name: 'dataset_id' });
  run = Option.String('--run', { description: 'Only the lines of this sync' });
  reasons = Option.Array('--reason', { description: 'Only the lines of this reason; may be repeated' });
  queue = Option.Boolean('--queue', false, { description: 'Accept the run although no worker polls for it' });
  wait = Option.Boolean('-w,--wait', false, { description: 'Wait for the end; --timeout limits the wait' });

  async execute(): Promise<number> {
    const api = await this.api();
    const body = {
      dataset_id: this.dataset,
      ...(this.run === undefined ? {} : { run_id: this.run }),
      ...(this.reasons === undefined ? {} : { reasons: this.reasons }),
    };
    const started = await api.call(startReplay, { body, query: this.queue ? { queue: true } : {} });
    if (started.warning) this.note(`warning: ${started.warning.detail}`);
    if (!this.wait) {
      await this.show(started);
      return 0;
    }
    const ended = await this.waitFor(api, started.run_id);
    const people = this.format() === 'table' || this.format() === 'wide';
    await this.show(people ? (ended.outcome ?? ended) : ended);
    if (people && ended.outcome !== null && ended.outcome.rejected > 0) this.note(countsOf(ended.outcome.reasons));
    return finishRun(ended, api);
  }

  private async waitFor(api: Api, runId: string) {
    const { progress, seen, ...limits } = await this.watching();
    try {
      return await waitForRun({
        ...limits,
        poll: () => api.call(getReplay, { params: { replay_run_id: runId } }),
        seen: (state) => {
          seen?.(state);
          progress.show(state.status, [`  ▸ replay ${state.status}`]);
        },
        reattach: `weir datasets quarantine list ${this.dataset} shows what is left`,
      });
    } finally {
      progress.end([]);
    }
  }
}

/** Counts in one line, such as `3 lines: 2 key_missing, 1 malformed_json`. */
function countsOf(reasons: readonly { reason: string; lines: number }[]): string {
  const total = reasons.reduce((sum, { lines }) => sum + lines, 0);
  const parts = reasons.map(({ reason, lines }) => `${lines} ${reason}`).join(', ');
  return total === 0 ? 'no lines' : `${total} ${total === 1 ? 'line' : 'lines'} in quarantine: ${parts}`;
}
