import type { Input } from '@weir/kernel/contract';
import { listPipelines, validateDag } from '@weir/plugin-pipelines/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { idOf } from '../../command/named-id.ts';
import type { Api } from '../../connection/api.ts';
import { readDocument } from '../../document.ts';

type Body = Input<typeof validateDag>['body'];

/** Finds every fault of a pipeline, or of the steps of a file. */
export class PipelinesValidate extends WeirCommand {
  static override paths = [['pipelines', 'validate']];
  static override usage = Command.Usage({
    category: 'Pipelines',
    description: 'Find every fault of a pipeline, or of steps in a file, before anything runs',
    details:
      'Ends with 6 when it has faults. A pipeline without any is noted as validated; of a file nothing is stored.',
    examples: [
      ['A pipeline', 'weir pipelines validate daily-revenue'],
      ['At most ten minutes', 'weir pipelines validate daily-revenue --timeout 600'],
      ['Steps of a file', 'weir pipelines validate -f revenue.yaml'],
    ],
  });

  pipeline = Option.String({ name: 'pipeline_id', required: false });
  file = Option.String('-f,--file', { description: 'Steps, and publish, in YAML or JSON; - reads stdin' });

  async execute(): Promise<number> {
    if ((this.pipeline === undefined) === (this.file === undefined))
      throw new CliError('usage', 'Give either a pipeline, or a file by -f.', { code: 'usage' });
    const api = await this.api();
    const found = await api.call(validateDag, { body: await this.body(api) });
    if (this.format() !== 'table' || this.query !== undefined) await this.show(found);
    else if (found.valid) {
      const waves = found.waves.map((wave, at) => ({ wave: at + 1, steps: wave.join(', ') }));
      await this.show({ items: waves }, { columns: ['wave', 'steps'] });
    } else await this.show({ items: found.faults }, { columns: ['step_id as step', 'code', 'detail'] });
    if (found.valid) {
      this.note(this.pipeline === undefined ? 'valid' : 'validated: it can be rehearsed');
      return 0;
    }
    const { length } = found.faults;
    throw new CliError('invalid', `${length} ${length === 1 ? 'fault keeps' : 'faults keep'} it from running.`);
  }

  private async body(api: Api): Promise<Body> {
    if (this.pipeline !== undefined)
      return { pipeline_id: await idOf(api, listPipelines, 'pipeline_id', this.pipeline) };
    const { steps = [], publish } = await readDocument(this.file as string, this.context.stdin);
    return { steps, ...(publish !== undefined && { publish }) } as Body;
  }
}
