import {
  getPipeline,
  getVersion,
  listPipelines,
  readDifference,
  readPipelineReadiness,
} from '@weir/plugin-pipelines/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { idOf } from '../../command/named-id.ts';
import { exitCode } from '../../exit-codes.ts';
import { showReadiness } from '../show-readiness.ts';

/** The number of a version; throws a usage error for another text. */
function versionOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliError('usage', 'A version is a number such as 1.', { hint: 'weir pipelines versions list <pipeline>' });
}

const STEPS = ['step_id as step', 'transform_name as transform', 'output', 'after', 'artifact_id as artifact'];

/** A pipeline with its steps as they are now, or one version of it. */
export class PipelinesGet extends WeirCommand {
  static override paths = [['pipelines', 'get']];
  static override usage = Command.Usage({
    category: 'Pipelines',
    description: 'Read a pipeline with its steps, or one version of it',
    examples: [
      ['As it is now', 'weir pipelines get daily-revenue'],
      ['What version 2 carries out', 'weir pipelines get daily-revenue --version 2'],
    ],
  });

  pipeline = Option.String({ name: 'pipeline_id' });
  version = Option.String('--version', { description: 'Number of the version' });

  async execute(): Promise<number> {
    const version = this.version === undefined ? undefined : versionOf(this.version);
    const api = await this.api();
    const pipeline_id = await idOf(api, listPipelines, 'pipeline_id', this.pipeline);
    const found =
      version === undefined
        ? await api.call(getPipeline, { params: { pipeline_id } })
        : await api.call(getVersion, { params: { pipeline_id, version } });
    if (this.format() !== 'table' || this.query !== undefined) {
      await this.show(found);
      return 0;
    }
    const { steps, ...rest } = found;
    await this.show('last_run' in rest ? { ...rest, last_run: rest.last_run?.status } : rest);
    this.context.stdout.write('\n');
    await this.show({ items: steps.map((step) => ({ ...step, after: step.after.join(', ') })) }, { columns: STEPS });
    return 0;
  }
}

/** What differs between two versions of a pipeline. */
export class PipelinesDifference extends WeirCommand {
  static override paths = [['pipelines', 'difference']];
  static override usage = Command.Usage({
    category: 'Pipelines',
    description: 'Show what differs between two versions of a pipeline',
    details: 'Ends with 7 when something does.',
    examples: [['What version 3 changed', 'weir pipelines difference daily-revenue 2 3']],
  });

  pipeline = Option.String({ name: 'pipeline_id' });
  from = Option.String({ name: 'version' });
  to = Option.String({ name: 'other_version' });

  async execute(): Promise<number> {
    const [version, to] = [versionOf(this.from), versionOf(this.to)];
    const api = await this.api();
    const pipeline_id = await idOf(api, listPipelines, 'pipeline_id', this.pipeline);
    const found = await api.call(readDifference, { params: { pipeline_id, version }, query: { to } });
    if (this.format() === 'table' && this.query === undefined) {
      const items = found.steps.map(({ step_id, change, members }) => ({
        step_id,
        change,
        members: members.join(', '),
      }));
      await this.show({ items }, { columns: ['step_id', 'change', 'members'] });
      if (found.publish !== null) this.note(`publish: ${found.publish.from} → ${found.publish.to}`);
    } else await this.show(found);
    return exitCode(found.same ? 'ok' : 'differences');
  }
}

/** The checks that a run of a pipeline must pass. */
export class PipelinesReadiness extends WeirCommand {
  static override paths = [['pipelines', 'readiness']];
  static override usage = Command.Usage({
    category: 'Pipelines',
    description: readPipelineReadiness.summary,
    examples: [['A pipeline', 'weir pipelines readiness daily-revenue']],
  });

  pipeline = Option.String({ name: 'pipeline_id' });

  async execute(): Promise<number> {
    const api = await this.api();
    const pipeline_id = await idOf(api, listPipelines, 'pipeline_id', this.pipeline);
    await showReadiness(this, await api.call(readPipelineReadiness, { params: { pipeline_id } }));
    return 0;
  }
}
