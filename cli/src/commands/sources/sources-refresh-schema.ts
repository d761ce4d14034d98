import {
  type DiscoveryStatusView,
  type RefreshDiffView,
  refreshSchema,
  startDiscovery,
} from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';
import { sourceId } from '../../command/source-id.ts';
import { targetOf } from '../../command/target.ts';
import type { Api } from '../../connection/api.ts';
import { exitCode } from '../../exit-codes.ts';
import { finishRun } from '../../run/finish-run.ts';
import { labelOf } from '../streams/sources-streams-set.ts';

/** Of a stream that is not there now: the difference says so. */
const GONE = 'stream_not_found';

/** Looks at a source, shows what has changed there, and brings its streams in line once that is agreed to. */
export class SourcesRefreshSchema extends WeirCommand {
  static override paths = [['sources', 'refresh-schema']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: 'Review what has changed at a source, then bring its streams in line with it',
    details:
      'A discovery that only looks, then the difference, then a question. Settings of known streams stay, new ones arrive disabled, and streams that are gone are removed, without their tables.',
    examples: [
      ['Only look', 'weir sources refresh-schema shop --dry-run'],
      ['Without a question', 'weir sources refresh-schema shop --yes'],
    ],
  });

  source = Option.String({ name: 'source_id' });
  dryRun = Option.Boolean('--dry-run', false, { description: 'Only show the difference' });
  exitWith = Option.Boolean('--exit-code', false, { description: 'With --dry-run: end with 7 when there is one' });
  queue = Option.Boolean('--queue', false, { description: 'Let the discovery wait when no worker polls for it' });

  async execute(): Promise<number> {
    if (this.exitWith && !this.dryRun) throw new CliError('usage', '--exit-code goes with --dry-run.');
    const api = await this.api();
    const source_id = await sourceId(api, this.source);
    const found = await this.look(api, source_id);
    const call = { params: { source_id }, body: { workflow_id: found.workflow_id } };
    const diff = await api.call(refreshSchema, { ...call, query: { dry_run: true } });
    const differs = diff.added.length + diff.changed.length + diff.removed.length > 0;
    await this.tell(diff);
    if (this.dryRun) return differs && this.exitWith ? exitCode('differences') : 0;
    if (!differs) {
      this.note('nothing to change');
      return 0;
    }
    await confirm(this, `Refresh ${this.source} of ${targetOf(api)}: ${summary(diff)}`);
    await api.call(refreshSchema, call);
    this.note('refreshed');
    return 0;
  }

  protected override isWaiting(): boolean {
    return true;
  }

  /** Asks the source for its streams, changing nothing. */
  private async look(api: Api, source_id: string): Promise<DiscoveryStatusView> {
    const query = this.queue ? { queue: true } : {};
    const { workflow_id } = await api.call(startDiscovery, { body: { source_id, apply: false }, query });
    const { watchDiscovery } = await import('../../run/watch-discovery.ts');
    const found = await watchDiscovery(api, workflow_id, {
      ...(await this.watching()),
      isToldByCaller: (code) => code === GONE,
    });
    finishRun(found, api);
    return found;
  }

  private async tell(diff: RefreshDiffView): Promise<void> {
    if (this.format() !== 'table' && this.format() !== 'wide') return this.show(diff);
    const lines = linesOf(diff);
    if (lines.length > 0) await this.show(lines, { columns: ['change', 'stream', 'what'] });
    this.note(`${diff.unchanged} unchanged; settings of known streams stay as they are`);
  }
}

/** A difference in a sentence; what goes is named. */
function summary({ added, changed, removed }: RefreshDiffView): string {
  const gone = removed.map(labelOf).join(', ');
  return `${added.length} added (disabled), ${changed.length} changed, ${removed.length} removed${gone === '' ? '' : `: ${gone}`}`;
}

/** A difference as lines for people. */
function linesOf({ added, changed, removed, needs_attention, table_conflicts }: RefreshDiffView) {
  const modes = (change: RefreshDiffView['changed'][number]) =>
    change.supported_sync_modes === null ? [] : [`modes now ${change.supported_sync_modes.to.join(', ')}`];
  return [
    ...added.map((one) => ({ change: 'added', stream: labelOf(one), what: `disabled, to ${one.dataset_id}` })),
    ...changed.map((one) => ({
      change: 'changed',
      stream: labelOf(one),
      what: [...one.fields.map(fieldText), ...modes(one)].join('; ') || 'description of fields',
    })),
    ...removed.map((one) => ({ change: 'removed', stream: labelOf(one), what: `its table ${one.dataset_id} stays` })),
    ...table_conflicts.map((one) => ({
      change: 'table keeps type',
      stream: labelOf(one),
      what: `${one.columns.join(', ')} of ${one.dataset_id}; reset the stream to change it`,
    })),
    ...needs_attention.map((one) => ({
      change: 'needs attention',
      stream: labelOf(one),
      what: one.attention.map(({ pointer, code }) => `${pointer}: ${code}`).join('; '),
    })),
  ];
}

function fieldText({ path, change, from, to }: RefreshDiffView['changed'][number]['fields'][number]): string {
  const name = path.join('.');
  if (change === 'added') return `+ ${name} ${to}`;
  return change === 'removed' ? `- ${name}` : `${name} ${from} -> ${to}`;
}
