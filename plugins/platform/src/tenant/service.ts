import { decodePageToken, encodePageToken, type PageRequest, type PlatformService } from '@weir/kernel';
import { DEFAULT_PAGE_SIZE, kernelProblems } from '@weir/kernel/contract';
import { platformProblems, TENANT_ALIAS, type TenantView } from '../contract.ts';

/** Makes and reads tenants. The platform role can only read their table: the owner's function adds a row. */
export function tenantService(sql: PlatformService['sql']) {
  return {
    /** Throws `tenant_alias_invalid`, and `tenant_alias_taken` also for a tenant that is disabled. */
    async create(alias: string): Promise<TenantView> {
      if (!TENANT_ALIAS.test(alias)) throw platformProblems.tenantAliasInvalid();
      const { rows } = await sql('select * from platform.create_tenant($1)', [alias]);
      if (rows[0] === undefined) throw platformProblems.tenantAliasTaken({ values: { alias } });
      return toView(rows[0]);
    },
    /** A page of all that are there, by alias; one that was switched off is not. Throws `invalid_page_token`. */
    async page({ limit = DEFAULT_PAGE_SIZE, page_token: token, order = 'alias' }: PageRequest) {
      const list = ['tenants', order];
      const after = token === undefined ? null : decodePageToken(list, token).id;
      const [beyond, direction] = order === 'alias' ? ['>', 'asc'] : ['<', 'desc'];
      const { rows } = await sql(
        `select * from kernel.tenant where disabled_at is null and ($1::text is null or alias collate "C" ${beyond} $1)
         order by alias collate "C" ${direction} limit $2::int`,
        [after, limit + 1],
      );
      const items = rows.slice(0, limit).map(toView);
      const last = rows.length > limit ? items.at(-1) : undefined;
      return {
        items,
        total: null,
        next_page_token: last ? encodePageToken(list, { value: null, id: last.alias }) : null,
      };
    },
    /** Reads past the cache of tenants, so that a new one is there at once. Throws `not_found`. */
    async read(alias: string): Promise<TenantView> {
      const { rows } = await sql('select * from kernel.tenant where alias = $1 and disabled_at is null', [alias]);
      if (rows[0] === undefined) throw kernelProblems.notFound();
      return toView(rows[0]);
    },
  };
}

function toView({ tenant_id, alias, scope, created_at }: Record<string, unknown>): TenantView {
  return {
    tenant_id: String(tenant_id),
    alias: String(alias),
    scope: String(scope),
    created_at: new Date(created_at as string | Date).toISOString(),
  };
}
