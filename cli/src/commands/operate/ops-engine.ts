import { listTaskQueues, type TaskQueueView } from '@weir/plugin-workflow-engine/contract';
import { Command } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { exitCode } from '../../exit-codes.ts';

/** What waits in each task queue, who polls it, and how long activities have waited in it. */
export class OpsQueues extends WeirCommand {
  static override paths = [['ops', 'queues']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: listTaskQueues.summary,
    details:
      'P50 and P95 are seconds from when an activity could start until a worker started it, since figures were first kept; empty before the first.',
  });

  async execute(): Promise<number> {
    const api = await this.api();
    const found = await api.call(listTaskQueues, {});
    const format = this.format();
    await this.show(format === 'table' || format === 'wide' ? { items: found.items.map(row) } : found);
    return exitCode('ok');
  }
}

/** A queue on one line. */
function row({ queue, role, plugin, backlog, pollers, last_seen_at, schedule_to_start: waits }: TaskQueueView) {
  return {
    ...{ queue, role, plugin },
    backlog: backlog.tasks,
    oldest_seconds: rounded(backlog.oldest_seconds),
    workflow_pollers: pollers.workflow,
    activity_pollers: pollers.activity,
    p50: waits === null ? null : rounded(waits.p50_seconds),
    p95: waits === null ? null : rounded(waits.p95_seconds),
    last_seen_at,
  };
}

const rounded = (seconds: number | null) => (seconds === null ? null : Math.round(seconds * 1_000) / 1_000);
