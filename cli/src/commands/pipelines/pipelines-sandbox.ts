import type { Output } from '@weir/kernel/contract';
import { getSandboxStatus, listPipelineRuns, listPipelines, sandboxPipeline } from '@weir/plugin-pipelines/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { shown } from '../../command/endpoint-command.ts';
import { idOf } from '../../command/named-id.ts';
import type { Api } from '../../connection/api.ts';
import { finishRun } from '../../run/finish-run.ts';
import { watchRun } from '../../run/watch-run.ts';
import { rowsOf } from '../datasets/datasets.ts';

type Rehearsal = Output<typeof getSandboxStatus>;

const COLUMNS = ['step_id as step', 'status', 'rows_in', 'rows', 'reason', 'code', 'broken'];

/** Shows a rehearsal: its steps, and the first rows of each. */
async function showRehearsal(command: WeirCommand, rehearsal: Rehearsal): Promise<void> {
  if (command.format() !== 'table' || command.query !== undefined) return command.show(rehearsal);
  const steps = rehearsal.steps.map(({ checks, ...step }) => {
    const broken = checks.filter(({ status }) => status === 'failed' || status === 'warned');
    return { ...step, broken: broken.map(({ name }) => name).join(', ') };
  });
  await command.show({ items: steps }, { columns: COLUMNS });
  for (const { step_id, sample } of rehearsal.steps) {
    if (sample === null || sample.rows.length === 0) continue;
    command.context.stdout.write(`\n${step_id}\n`);
    await command.show(rowsOf(sample), { columns: sample.columns.map(({ name }) => name), isData: true });
  }
}

/** Rehearses a pipeline. */
export class PipelinesSandbox extends WeirCommand {
  static override paths = [['pipelines', 'sandbox']];
  static override usage = Command.Usage({
    category: 'Pipelines',
    description: sandboxPipeline.summary,
    examples: [
      ['Wait, and see the first rows of each step', 'weir pipelines sandbox daily-revenue --wait'],
      ['Also of steps that nothing has changed', 'weir pipelines sandbox daily-revenue --force --wait'],
    ],
  });

  pipeline = Option.String({ name: 'pipeline_id' });
  sampleRows = Option.String('--sample-rows', {
    description: 'Rows of each step to be looked at, up to 20; 20 unless given',
  });
  force = Option.Boolean('--force', false, { description: 'Run every step even when nothing has changed' });
  full = Option.Boolean('--full', false, { description: 'Rebuild every output whole' });
  queue = Option.Boolean('--queue', false, {
    description: 'Let the run wait when no worker polls for it at the moment',
  });
  wait = Option.Boolean('-w,--wait', false, { description: 'Wait for the end' });

  async execute(): Promise<number> {
    const { force, full, queue, sampleRows } = this;
    if (sampleRows !== undefined && !/^\d{1,2}$/.test(sampleRows))
      throw new CliError('usage', '--sample-rows must be a number up to 20.', { code: 'usage' });
    const api = await this.api();
    const params = { pipeline_id: await idOf(api, listPipelines, 'pipeline_id', this.pipeline) };
    const body = { force, full, ...(sampleRows !== undefined && { sample_rows: Number(sampleRows) }) };
    const started = await api.call(sandboxPipeline, { params, query: { queue }, body });
    if (!this.wait) return shown(this, sandboxPipeline, started);
    if (started.warning) this.note(`warning: ${started.warning.detail}`);
    const ended = await watchRun(api, started.run_id, await this.watching());
    const { workflow_id } = started;
    await showRehearsal(this, await api.call(getSandboxStatus, { params: { ...params, workflow_id } }));
    return finishRun(ended, api);
  }
}

/** A rehearsal that was started before, by default the newest. */
export class PipelinesSandboxStatus extends WeirCommand {
  static override paths = [['pipelines', 'sandbox-status']];
  static override usage = Command.Usage({
    category: 'Pipelines',
    description: getSandboxStatus.summary,
    details: 'Without a run the newest rehearsal is shown.',
    examples: [['The newest one', 'weir pipelines sandbox-status daily-revenue']],
  });

  pipeline = Option.String({ name: 'pipeline_id' });
  run = Option.String({ name: 'run_id', required: false });

  async execute(): Promise<number> {
    const api = await this.api();
    const params = { pipeline_id: await idOf(api, listPipelines, 'pipeline_id', this.pipeline) };
    const workflow_id = this.run ?? (await newest(api, params));
    if (workflow_id === undefined)
      throw new CliError('notFound', 'This pipeline was never rehearsed.', {
        code: 'not_found',
        hint: `weir pipelines sandbox ${this.pipeline} -w`,
      });
    await showRehearsal(this, await api.call(getSandboxStatus, { params: { ...params, workflow_id } }));
    return 0;
  }
}

async function newest(api: Api, params: { pipeline_id: string }): Promise<string | undefined> {
  const { items } = await api.call(listPipelineRuns, { params, query: { sandbox: true, limit: 1 } });
  return items[0]?.run_id;
}
