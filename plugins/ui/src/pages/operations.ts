import type { Endpoint } from '@weir/kernel/contract';
import type { UiPage } from '../contract.ts';

/** An endpoint with the plugin that brings it. */
export type Owned = Endpoint & { plugin: string };

/** The ids of the endpoints that a page uses, each once. */
export function operationsOf({ blocks }: Pick<UiPage, 'blocks'>): string[] {
  const named = blocks.flatMap((block) => {
    if (block.kind === 'form') return [block.operation];
    const actions = block.kind === 'facts' ? [] : (block.actions ?? []);
    const done = actions.map(({ operation }) => operation);
    return block.kind === 'actions' ? done : [block.read, ...done];
  });
  return [...new Set(named)];
}
