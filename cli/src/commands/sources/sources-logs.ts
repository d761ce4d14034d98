import { readLog } from '@weir/plugin-runs/contract';
import { getSyncStatus, readDiscoveryLogs, readRunLogs } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { LogsCommand } from '../../command/logs-command.ts';
import { sourceId } from '../../command/source-id.ts';
import type { Api } from '../../connection/api.ts';
import type { LogKey } from '../../run/follow-log.ts';

/** The log of a run of a source, by default of its newest sync. */
export class SourcesLogs extends LogsCommand {
  static override paths = [['sources', 'logs']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: readRunLogs.summary,
    details:
      'Without a run the newest sync is read; discoveries, verifications and replays of the source have logs too. While a run is followed, -o json writes a document for each line. Lines of the connector stand behind a |.',
    examples: [
      ['Follow the newest sync', 'weir sources logs shop -f'],
      ['What went wrong in the last hour', 'weir sources logs shop --level warn --since 1h'],
      ['Search on the server', 'weir sources logs shop --search timeout -o ndjson'],
    ],
  });

  source = Option.String({ name: 'source_id' });
  run = Option.String({ name: 'run_id', required: false });

  protected async key(api: Api): Promise<LogKey> {
    const id = await sourceId(api, this.source);
    if (this.run !== undefined) return { source_id: id, run_id: this.run };
    const { run } = await api.call(getSyncStatus, { params: { source_id: id }, query: {} });
    if (run === null) {
      throw new CliError('notFound', 'This source has never been synced.', {
        code: 'not_found',
        hint: `weir sources sync ${this.source} -w`,
      });
    }
    return { source_id: id, run_id: run.run_id };
  }
}

/** The log of a discovery, also of what is no source yet. */
export class DiscoveryLogs extends LogsCommand {
  static override paths = [['sources', 'discovery', 'logs']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: readDiscoveryLogs.summary,
    details: 'Takes the workflow id that weir sources discover shows, or the run id.',
    examples: [['Follow a discovery', 'weir sources discovery logs 01900000-0000-7000-8000-000000000000 -f']],
  });

  workflow = Option.String({ name: 'workflow_id' });

  protected async key(): Promise<LogKey> {
    return { workflow_id: this.workflow };
  }
}

/** The log of a run of any kind. */
export class RunsLogs extends LogsCommand {
  static override paths = [['runs', 'logs']];
  static override usage = Command.Usage({
    category: 'Runs',
    description: readLog.summary,
    details: 'Takes a run id or a workflow id of a run of any kind. Lines of a connector stand behind a |.',
    examples: [['Follow a run', 'weir runs logs 01900000-0000-7000-8000-000000000000 -f']],
  });

  run = Option.String({ name: 'run_id' });

  protected async key(): Promise<LogKey> {
    return { id: this.run };
  }
}
