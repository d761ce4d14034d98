import type { PlatformService, Tenant } from '@weir/kernel';
import type { Output } from '@weir/kernel/contract';
import type { listUiPages, UiOperationView, UiPage } from '../contract.ts';
import { type Owned, operationsOf } from './operations.ts';

type Shown = Output<typeof listUiPages>['items'];

/** The pages of the plugins that a tenant has, with what the browser needs of their endpoints. */
export async function shownPages(
  { endpoints, manifests, tenantPlugins }: Pick<PlatformService, 'endpoints' | 'manifests' | 'tenantPlugins'>,
  pages: readonly UiPage[],
  tenant: Tenant,
): Promise<Shown> {
  const states = await tenantPlugins.states(tenant);
  const had = new Set(
    manifests()
      .filter(({ id, tenancy }) => tenancy === 'always' || states.get(id)?.enabled === true)
      .map(({ id }) => id),
  );
  const known = new Map(endpoints().map((one) => [one.id, one]));
  return pages
    .filter(({ plugin }) => had.has(plugin))
    .map((page) => {
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
