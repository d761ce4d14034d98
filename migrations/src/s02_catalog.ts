import type { Migration } from './migration.ts';

/**
 * The table catalog in the layout that Iceberg's JDBC catalog and PyIceberg's SQL catalog read. Rows belong to a tenant
 * by the second segment of their namespace, `<layer>.<scope>`; the shared namespaces are made by the owner
 * (`ensureSharedNamespaces`), and no session of a tenant can write to them.
 */
export const s02_catalog: Migration = {
  name: 's02_catalog',
  after: 's01_kernel',
  sql: `
create schema catalog;
grant usage on schema catalog to weir_app, weir_system;

create table catalog.iceberg_tables (
  catalog_name varchar(255) not null,
  table_namespace varchar(255) not null,
  table_name varchar(255) not null,
  metadata_location varchar(1000),
  previous_metadata_location varchar(1000),
  iceberg_type varchar(5),
  primary key (catalog_name, table_namespace, table_name)
);

create table catalog.iceberg_namespace_properties (
  catalog_name varchar(255) not null,
  namespace varchar(255) not null,
  property_key varchar(255) not null,
  property_value varchar(1000),
  primary key (catalog_name, namespace, property_key)
);

create function catalog.is_own(namespace text) returns boolean language sql stable
  return namespace in (
    'bronze.' || nullif(current_setting('app.scope', true), ''),
    'silver.' || nullif(current_setting('app.scope', true), ''),
    'gold.' || nullif(current_setting('app.scope', true), ''));
create function catalog.is_shared(namespace text) returns boolean language sql immutable
  return namespace in ('raw.shared', 'registry.shared');

alter table catalog.iceberg_tables enable row level security;
alter table catalog.iceberg_tables force row level security;
create policy own on catalog.iceberg_tables to weir_app
  using (catalog.is_own(table_namespace)) with check (catalog.is_own(table_namespace));
create policy shared on catalog.iceberg_tables for select to weir_app using (catalog.is_shared(table_namespace));
create policy system on catalog.iceberg_tables for select to weir_system using (true);

alter table catalog.iceberg_namespace_properties enable row level security;
alter table catalog.iceberg_namespace_properties force row level security;
create policy own on catalog.iceberg_namespace_properties to weir_app
  using (catalog.is_own(namespace)) with check (catalog.is_own(namespace));
create policy shared on catalog.iceberg_namespace_properties for select to weir_app using (catalog.is_shared(namespace));
create policy system on catalog.iceberg_namespace_properties for select to weir_system using (true);
create policy platform on catalog.iceberg_namespace_properties to weir_owner
  using (catalog.is_shared(namespace)) with check (catalog.is_shared(namespace));

grant select, insert, update, delete on catalog.iceberg_tables, catalog.iceberg_namespace_properties to weir_app;
grant select on catalog.iceberg_tables, catalog.iceberg_namespace_properties to weir_system;
`,
};
