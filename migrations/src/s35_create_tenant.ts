import type { Migration } from './migration.ts';

/**
 * The one way for the platform role to add a tenant: it names the alias alone, id and scope are chosen here as
 * create-tenant.ts does for the owner. An alias that is taken gives no row.
 */
export const s35_create_tenant: Migration = {
  name: 's35_create_tenant',
  after: 's33_pattern_sync',
  additiveSince: 's24_webhooks',
  sql: `
create function platform.create_tenant(wanted text) returns setof kernel.tenant
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  plain text;
  chosen text;
  digest text;
  -- A UUID of version 7: 48 bits of milliseconds, then a random one with two further bits of its version set.
  id uuid := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid;
begin
  if wanted is null or wanted !~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$' then
    raise exception 'the alias of a tenant is invalid' using errcode = 'invalid_parameter_value';
  end if;
  lock table kernel.tenant in share row exclusive mode;
  if exists (select from kernel.tenant where alias = wanted) then
    return;
  end if;
  plain := regexp_replace(lower(wanted collate "C"), '[^a-z0-9_]', '_', 'g');
  plain := regexp_replace(plain, '^([^a-z])', 't\\1');
  if length(plain) <= 48 and not exists (select from kernel.tenant where scope = plain) then
    chosen := plain;
  else
    digest := encode(sha256(convert_to(wanted, 'UTF8')), 'hex');
    select tried.scope into chosen
      from (select size, left(plain, 47 - size) || '_' || left(digest, size) as scope from generate_series(8, 46) as size) as tried
      where not exists (select from kernel.tenant as other where other.scope = tried.scope) order by size limit 1;
  end if;
  return query insert into kernel.tenant (tenant_id, alias, scope) values (id, wanted, chosen) returning *;
end
$$;
revoke all on function platform.create_tenant(text) from public;
grant execute on function platform.create_tenant(text) to weir_app;
`,
};
