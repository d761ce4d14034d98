import { listTransforms, materializeTransform, materializeTransforms } from '@weir/plugin-transforms/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { shown, waited } from '../../command/endpoint-command.ts';
import { idOf } from '../../command/named-id.ts';

const PUBLISH = ['together', 'each'] as const;

/** Runs one transform, or several as one run. */
export class TransformsTrigger extends WeirCommand {
  static override paths = [['transforms', 'trigger']];
  static override usage = Command.Usage({
    category: 'Transforms',
    description: 'Run transforms: each output has the new rows afterwards, or is as it was',
    details:
      'A run reads its inputs at one moment, and ends skipped when neither definition nor input has changed since the last one. Several transforms are one run: each waits for those whose tables it reads, in whatever order they are named.',
    examples: [
      ['Run it, whether or not anything moved, and wait', 'weir transforms trigger orders-by-day --force --wait'],
      ['Rebuild its table from all rows of the inputs', 'weir transforms trigger orders-by-day --full --wait'],
      [
        'Change three tables in one commit, or none of them',
        'weir transforms trigger orders orders-by-day best-days --publish together --wait',
      ],
      [
        'Run what a failed run had not done, and publish that with the rest',
        'weir transforms trigger orders orders-by-day best-days --resume <run_id> --wait',
      ],
    ],
  });

  transforms = Option.Rest({ name: 'transform_id', required: 1 });
  publish = Option.String('--publish', {
    description:
      'together: all tables change in one commit, or none does; each: every table as its step ends (together | each; each unless given)',
  });
  resume = Option.String('--resume', {
    description:
      'A run of several transforms that published together and failed or was cancelled: what it had computed is published without being computed again, where version and inputs are the same',
  });
  force = Option.Boolean('--force', false, {
    description: 'Run even when neither definition nor input has changed',
  });
  full = Option.Boolean('--full', false, {
    description: 'Rebuild the whole output, whatever the materialization and what is new',
  });
  queue = Option.Boolean('--queue', false, {
    description: 'Let the run wait when no worker polls for it at the moment',
  });
  wait = Option.Boolean('-w,--wait', false, { description: 'Wait for the end' });

  async execute(): Promise<number> {
    const publish = PUBLISH.find((one) => one === this.publish);
    if (this.publish !== undefined && publish === undefined) {
      throw new CliError('usage', `--publish must be one of: ${PUBLISH.join(', ')}.`, { code: 'usage' });
    }
    const api = await this.api();
    const ids: string[] = [];
    for (const name of this.transforms) ids.push(await idOf(api, listTransforms, 'transform_id', name));
    const { force, full } = this;
    const query = { queue: this.queue };
    const [only] = ids;
    const { resume } = this;
    const isOne = ids.length === 1 && publish === undefined && resume === undefined && only !== undefined;
    const started = isOne
      ? await api.call(materializeTransform, { params: { transform_id: only }, query, body: { force, full } })
      : await api.call(materializeTransforms, {
          query,
          body: {
            transform_ids: ids,
            force,
            full,
            ...(publish === undefined ? {} : { publish }),
            ...(resume === undefined ? {} : { resume_run_id: resume }),
          },
        });
    return this.wait ? waited(this, api, started) : shown(this, materializeTransform, started);
  }
}
