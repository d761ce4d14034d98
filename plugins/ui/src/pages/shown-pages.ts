import type { PlatformService } from '@weir/kernel';
import type { Output } from '@weir/kernel/contract';
import type { listUiPages, UiOperationView, UiPage } from '../contract.ts';
import { type Owned, operationsOf } from './operations.ts';

type Shown = Output<typeof listUiPages>['items'];

/** Pages with what the browser needs of their endpoints. */
export function shownPages(endpoints: ReturnType<PlatformService['endpoints']>, pages: readonly UiPage[]): Shown {
  const known = new Map(endpoints.map((one) => [one.id, one]));
  return pages.map((page) => {
    const { plugin, name, title, description = null, blocks } = page;
    const operations = operationsOf(page).flatMap((id) => operationView(known.get(id)));
    return { plugin, name, title, description, blocks: [...blocks], operations };
  });
}

function operationView(endpoint: Owned | undefined): UiOperationView[] {
  if (endpoint?.access.kind !== 'tenant') return [];
  const { id, method, path, access, body } = endpoint;
  return [{ operation: id, method, path, role: access.role, body: body === undefined ? null : { ...body } }];
}
