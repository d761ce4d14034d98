import { getRunOfTransform, listRunsOfTransform, listTransforms } from '@weir/plugin-transforms/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { LogsCommand } from '../../command/logs-command.ts';
import { idOf } from '../../command/named-id.ts';
import type { Api } from '../../connection/api.ts';
import type { LogKey } from '../../run/follow-log.ts';

/** The log of a run of a transform, by default of its newest. */
export class TransformsLogs extends LogsCommand {
  static override paths = [['transforms', 'logs']];
  static override usage = Command.Usage({
    category: 'Transforms',
    description: 'Read, search and follow the log of a run of a transform',
    details:
      'Without a run the newest one is read. While a run is followed, -o json writes a document for each line. weir transform-runs logs reads a run by its id alone.',
    examples: [
      ['Follow the newest run', 'weir transforms logs sales_by_day -f'],
      ['What its commit did', 'weir transforms logs sales_by_day --step commit'],
    ],
  });

  transform = Option.String({ name: 'transform_id' });
  run = Option.String({ name: 'run_id', required: false });

  protected async key(api: Api): Promise<LogKey> {
    const transform_id = await idOf(api, listTransforms, 'transform_id', this.transform);
    if (this.run !== undefined) {
      const { run_id } = await api.call(getRunOfTransform, { params: { transform_id, run_id: this.run } });
      return { id: run_id };
    }
    const { items } = await api.call(listRunsOfTransform, { params: { transform_id }, query: { limit: 1 } });
    const [newest] = items;
    if (newest === undefined) {
      throw new CliError('notFound', 'This transform has never been run.', {
        code: 'not_found',
        hint: `weir transforms trigger ${this.transform} -w`,
      });
    }
    return { id: newest.run_id };
  }
}
