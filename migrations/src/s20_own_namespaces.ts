import type { Migration } from './migration.ts';

/**
 * Which namespaces of the catalog are the tenant's follows from the tenant itself, by the scope in its row; a session
 * can no longer name a scope beside it. The policies ask once for each statement.
 */
export const s20_own_namespaces: Migration = {
  name: 's20_own_namespaces',
  after: 's19_idempotency_age',
  sql: `
create function catalog.own_namespaces() returns text[] language sql stable
  return (select array['bronze.' || scope, 'silver.' || scope, 'gold.' || scope] from kernel.tenant
    where tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
create or replace function catalog.is_own(namespace text) returns boolean language sql stable
  return coalesce(namespace = any (catalog.own_namespaces()), false);

alter policy own on catalog.iceberg_tables
  using (table_namespace = any ((select catalog.own_namespaces())::text[]))
  with check (table_namespace = any ((select catalog.own_namespaces())::text[]));
alter policy own on catalog.iceberg_namespace_properties
  using (namespace = any ((select catalog.own_namespaces())::text[]))
  with check (namespace = any ((select catalog.own_namespaces())::text[]));
`,
};
