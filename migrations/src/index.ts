import type { Migration } from './migration.ts';
import { s01_kernel } from './s01_kernel.ts';
import { s02_catalog } from './s02_catalog.ts';
import { s03_datasets } from './s03_datasets.ts';
import { s04_sources } from './s04_sources.ts';
import { s05_platform } from './s05_platform.ts';
import { s06_streams } from './s06_streams.ts';
import { s07_engine } from './s07_engine.ts';
import { s08_trail } from './s08_trail.ts';
import { s09_identity } from './s09_identity.ts';
import { s10_credentials } from './s10_credentials.ts';
import { s11_schedules } from './s11_schedules.ts';
import { s12_logs } from './s12_logs.ts';
import { s13_patterns } from './s13_patterns.ts';
import { s14_workers } from './s14_workers.ts';
import { s15_discovered_rotations } from './s15_discovered_rotations.ts';
import { s16_pulling } from './s16_pulling.ts';
import { s17_deduplicated_rows } from './s17_deduplicated_rows.ts';
import { s18_credential_place } from './s18_credential_place.ts';
import { s19_idempotency_age } from './s19_idempotency_age.ts';
import { s20_own_namespaces } from './s20_own_namespaces.ts';
import { s21_evidence } from './s21_evidence.ts';
import { s22_missed_times } from './s22_missed_times.ts';
import { s23_runs } from './s23_runs.ts';
import { s24_webhooks } from './s24_webhooks.ts';
import { s25_additive_steps } from './s25_additive_steps.ts';
import { s26_seen_by_discovery } from './s26_seen_by_discovery.ts';
import { s27_input_holds } from './s27_input_holds.ts';
import { s28_transforms } from './s28_transforms.ts';
import { s29_transform_runs } from './s29_transform_runs.ts';
import { s30_schedules } from './s30_schedules.ts';
import { s31_transform_checks } from './s31_transform_checks.ts';
import { s32_increments } from './s32_increments.ts';
import { s32_input_marks } from './s32_input_marks.ts';
import { s33_pattern_sync } from './s33_pattern_sync.ts';
import { s33_transform_origins } from './s33_transform_origins.ts';
import { s35_create_tenant } from './s35_create_tenant.ts';
import { s36_discovery_warnings } from './s36_discovery_warnings.ts';
import { s37_transform_versions } from './s37_transform_versions.ts';
import { s38_backing_datasets } from './s38_backing_datasets.ts';
import { s38_ontology } from './s38_ontology.ts';
import { s38_run_reasons } from './s38_run_reasons.ts';
import { s39_bd_sync_spec_fingerprint } from './s39_bd_sync_spec_fingerprint.ts';
import { s40_uploads } from './s40_uploads.ts';
import { s41_told_credentials } from './s41_told_credentials.ts';
import { s42_files_gone } from './s42_files_gone.ts';
import { s43_replaced_rows } from './s43_replaced_rows.ts';
import { s44_read_notes } from './s44_read_notes.ts';
import { s45_discovery_looks } from './s45_discovery_looks.ts';
import { s46_inspections } from './s46_inspections.ts';
import { s47_plain_names } from './s47_plain_names.ts';
import { s48_checking } from './s48_checking.ts';
import { s50_groups } from './s50_groups.ts';
import { s53_workflow_of_parts } from './s53_workflow_of_parts.ts';
import { s54_staged_at } from './s54_staged_at.ts';
import { s56_adoption } from './s56_adoption.ts';
import { s60_pipelines } from './s60_pipelines.ts';
import { s61_schemas } from './s61_schemas.ts';
import { s62_table_health } from './s62_table_health.ts';
import { s66_ai } from './s66_ai.ts';
import { s67_sync_route } from './s67_sync_route.ts';
import { s69_ai_transform_etag } from './s69_ai_transform_etag.ts';

export { auditTables, SHARED_TABLES } from './audit-tables.ts';
export {
  type BootstrapOptions,
  bootstrapDatabase,
  createDevelopmentReader,
  type SuperuserPlace,
} from './bootstrap-database.ts';
export { createTenant, tenantScope } from './create-tenant.ts';
export { LedgerMismatch } from './ledger-mismatch.ts';
export { type MigrateOptions, migrate } from './migrate.ts';
export { type Migration, migrationHash, partitionedTenantTable, tenantTable } from './migration.ts';
export { type PluginMigrations, pluginSchema } from './plugin-migrations.ts';
export { readPluginMigrations } from './read-plugin-migrations.ts';
export { ensureSharedNamespaces } from './shared-namespaces.ts';

/** The one linear history of the database, in order. */
export const migrations: readonly Migration[] = [
  s01_kernel,
  s02_catalog,
  s03_datasets,
  s04_sources,
  s05_platform,
  s06_streams,
  s07_engine,
  s08_trail,
  s09_identity,
  s10_credentials,
  s11_schedules,
  s12_logs,
  s13_patterns,
  s14_workers,
  s15_discovered_rotations,
  s16_pulling,
  s17_deduplicated_rows,
  s18_credential_place,
  s19_idempotency_age,
  s20_own_namespaces,
  s21_evidence,
  s22_missed_times,
  s23_runs,
  s24_webhooks,
  s25_additive_steps,
  s26_seen_by_discovery,
  s27_input_holds,
  s28_transforms,
  s29_transform_runs,
  s30_schedules,
  s31_transform_checks,
  s32_increments,
  s32_input_marks,
  s33_transform_origins,
  s33_pattern_sync,
  s35_create_tenant,
  s36_discovery_warnings,
  s37_transform_versions,
  s38_run_reasons,
  s40_uploads,
  s41_told_credentials,
  s42_files_gone,
  s43_replaced_rows,
  s44_read_notes,
  s45_discovery_looks,
  s46_inspections,
  s47_plain_names,
  s48_checking,
  s50_groups,
  s53_workflow_of_parts,
  s54_staged_at,
  s56_adoption,
  s60_pipelines,
  s61_schemas,
  s38_ontology,
  s62_table_health,
  s38_backing_datasets,
  s39_bd_sync_spec_fingerprint,
  s66_ai,
  s67_sync_route,
  s69_ai_transform_etag,
];
