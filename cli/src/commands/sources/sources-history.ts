import { RUN_STATUSES } from '@weir/kernel/contract';
import { getSyncStats, listSyncHistory, type SyncRunView } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { choice } from '../../command/choice.ts';
import { WeirCommand } from '../../command/command.ts';
import { sourceId } from '../../command/source-id.ts';
import { durationText, sinceTime } from '../../duration.ts';

/** Lists the syncs of a source, or sums them up. */
export class SourcesHistory extends WeirCommand {
  static override paths = [['sources', 'history']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: listSyncHistory.summary,
    examples: [
      ['The last week', 'weir sources history shop --since 7d'],
      ['The last week in figures', 'weir sources history shop --since 7d --stats'],
    ],
  });

  source = Option.String({ name: 'source_id' });
  stats = Option.Boolean('--stats', false, { description: getSyncStats.summary });
  since = Option.String('--since', { description: 'Only syncs since then: a time, or how long ago, such as 7d' });
  status = choice('--status', RUN_STATUSES, `Only where status is this (${RUN_STATUSES.join(' | ')})`);
  limit = Option.String('--limit', { description: 'How many at most' });
  pageToken = Option.String('--page-token', { description: 'Continue where the page before ended' });
  order = Option.String('--order', { description: 'Field to order by; -field for descending' });

  async execute(): Promise<number> {
    const since = this.since === undefined ? {} : { since: sinceTime(this.since) };
    const api = await this.api();
    const params = { source_id: await sourceId(api, this.source) };
    if (this.stats) {
      await this.show(await api.call(getSyncStats, { params, query: since }));
      return 0;
    }
    const query = {
      ...since,
      ...(this.status === undefined ? {} : { status: this.status }),
      ...(this.limit === undefined ? {} : { limit: this.limit as unknown as number }),
      ...(this.pageToken === undefined ? {} : { page_token: this.pageToken }),
      ...(this.order === undefined ? {} : { order: this.order }),
    };
    const page = await api.call(listSyncHistory, { params, query });
    const isTable = ['table', 'csv'].includes(this.format()) && this.query === undefined;
    await this.show(isTable ? { ...page, items: page.items.map(withDuration) } : page, { columns: COLUMNS });
    this.noteMore(page.next_page_token);
    return 0;
  }
}

const COLUMNS = [
  ...['run_id', 'status', 'failure.code', 'verdict', 'rows_read', 'rows_written', 'rows_with_errors'],
  ...['started_at', 'duration'],
];

/** A run with how long it took; an open one has taken as long as it runs. */
function withDuration(run: SyncRunView) {
  const { started_at, ended_at } = run;
  const end = ended_at === null ? Date.now() : Date.parse(ended_at);
  return { ...run, duration: started_at === null ? null : durationText(Math.max(0, end - Date.parse(started_at))) };
}
