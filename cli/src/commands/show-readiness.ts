import type { ReadinessView } from '@weir/kernel/contract';
import type { WeirCommand } from '../command/command.ts';
import { helpLines } from '../error-text.ts';

/** Shows the checks of a subject, and what helps with those that fail. */
export async function showReadiness(command: WeirCommand, answer: ReadinessView): Promise<void> {
  if (command.format() !== 'table' && command.format() !== 'wide') return command.show(answer);
  const named = (items: { name: string; code: string }[]) =>
    items.map(({ name, code }) => `${name}: ${code}`).join('; ');
  const checks = answer.checks.map(({ items, ...check }) => ({ ...check, items: named(items) }));
  await command.show(checks, { columns: ['status', 'title', 'detail', 'items'] });
  const failed = answer.checks.filter(({ status }) => status === 'fail');
  command.note(answer.ready ? 'ready' : `not ready: ${failed.map(({ check }) => check).join(', ')}`);
  const help = failed.flatMap(({ hint, next }) =>
    helpLines({ ...(hint === null ? {} : { hint }), ...(next && { next }) }),
  );
  for (const line of new Set(help)) command.note(line);
}
