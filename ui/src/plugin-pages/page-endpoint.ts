import type { TRecord, TString, TUnknown } from '@sinclair/typebox';
import type { Endpoint, Output } from '@weir/kernel/contract';
import type { listUiPages } from '@weir/plugin-ui/contract';

export type ShownPage = Output<typeof listUiPages>['items'][number];
type Block = ShownPage['blocks'][number];
export type BlockOf<K extends Block['kind']> = Extract<Block, { kind: K }>;
export type Action = BlockOf<'actions'>['actions'][number];
export type Column = BlockOf<'list'>['columns'][number];

type Members = TRecord<TString, TUnknown>;
/** Its parameters, body and answer are objects; more is not known here. */
type Called = Endpoint<Members, Members, Members, Members>;

/** An endpoint of a page as the browser calls any other; its answer is of the plugin and is not checked. */
export function endpointOf({ operations }: ShownPage, id: string): Called {
  const found = operations.find(({ operation }) => operation === id);
  if (found === undefined) throw new Error(`the page has no operation ${id}`);
  const { method, path, role } = found;
  return {
    ...{ id, method, path, summary: '' },
    access: { kind: 'tenant', permission: id, role, tenantHeader: 'optional' },
  };
}

/** A member of an answer; `a.b` is one within. */
export const memberOf = (value: unknown, name: string): unknown =>
  name.split('.').reduce<unknown>((node, part) => (node as Record<string, unknown> | null | undefined)?.[part], value);
