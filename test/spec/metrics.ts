import type { MetricRow } from './rows.ts';

const WINDOW = 'service_orchestrator_orchestration_window';

/** Every metric that the specification names. */
export const metrics: readonly MetricRow[] = [
  {
    name: `${WINDOW}_phase_seconds`,
    suffixes: ['_bucket', '_sum', '_count', '_max'],
    labels: ['window', 'job_name', 'phase'],
    owner: 'orchestrator',
  },
  {
    name: `${WINDOW}_worker_bootstrap_timing_capture_failures`,
    suffixes: [''],
    labels: [],
    owner: 'orchestrator',
  },
];

/** The consecutive phases of a valid worker report, in order. */
export const phases: readonly string[] = [
  'container_to_worker_entrypoint',
  'worker_entrypoint_to_python_startup_hook',
  'python_startup_hook_to_definitions_module',
  'definitions_module_to_definitions_import',
  'worker_entrypoint_to_definitions_import',
  'definitions_import_to_observability_initialized',
  'observability_initialized_to_orchestrator_imports',
  'orchestrator_imports_to_resources_import',
  'resources_import_to_registry_module_import',
  'registry_module_import_to_sensors_import',
  'sensors_import_to_registry_build',
  'definitions_import_to_registry_build',
  'registry_build_to_bronze_assets',
  'bronze_to_silver_assets',
  'silver_assets_to_definitions_ready',
  'definitions_ready_to_run_start',
];
