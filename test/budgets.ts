/** CPU-seconds that a test file may use. */
export const USUAL_BUDGET = 6;

/** The files that may use more, dearest first, with their CPU-seconds on two cores. */
export const BUDGETS: Readonly<Record<string, number>> = {
  'test/test/prove.test.ts': 70,
  'test/test/crash.test.ts': 60,
  'test/test/template.test.ts': 40,
  'test/test/maintenance.test.ts': 38,
  'test/test/ontology-service.test.ts': 15,
  'test/test/ontology-sync.test.ts': 40,
  'test/test/web-stories.test.ts': 120,
  'test/test/web-pages.test.ts': 42,
  'test/test/web-pipelines.test.ts': 26,
  'test/test/web-explore.test.ts': 60,
  'test/test/web-walk.test.ts': 65,
  'test/test/web-source-life.test.ts': 32,
  'test/test/web-source-edit.test.ts': 40,
  'test/test/web-patterns.test.ts': 42,
  'test/test/web-schemas.test.ts': 40,
  'test/test/web-ai.test.ts': 30,
  // Sixty orders, each in four tasks through the engine.
  'plugins/ai/test/injection.test.ts': 20,
  'test/test/ai-compose.test.ts': 16,
  'test/test/web-ontology.test.ts': 25,
  'test/test/ontology-sensor.test.ts': 25,
  // Five workers, and a dozen commands.
  'test/test/ontology-route.test.ts': 45,
  'test/test/web-backing.test.ts': 30,
  'test/test/fuzz.test.ts': 38,
  'test/test/docs.test.ts': 34,
  'cli/test/dev-once.test.ts': 31,
  // Six folders by three ways: eighteen syncs and their discoveries.
  'cli/test/load-account.test.ts': 30,
  // Two hundred changes of tables, each with its faults.
  'plugins/datasets/test/one-commit.test.ts': 15,
  // Tables of small files, each rewritten while something else goes wrong.
  'plugins/datasets/test/maintain.test.ts': 20,
  // Forty syncs, each with a process of its own.
  'plugins/ontology/test/sync-runs.test.ts': 16,
  // Ten merges beside rounds of maintenance, each snapshot read by two other readers.
  'plugins/datasets/test/maintain-beside.test.ts': 14,
  // Sixty syncs, each with a fault and the attempt after it.
  'plugins/sources/test/tables-law.test.ts': 20,
  'test/test/bad-surroundings.test.ts': 28,
  'test/test/access-matrix.test.ts': 36,
  'test/test/schedules.test.ts': 18,
  'plugins/transforms/test/runs.test.ts': 36,
  // A statement that runs away for five seconds on all cores is what it shows.
  'plugins/transforms/test/bounds.test.ts': 12,
  'plugins/transforms/test/increments.test.ts': 45,
  'plugins/transforms/test/increments-law.test.ts': 10,
  'plugins/transforms/test/checks.test.ts': 16,
  'plugins/transforms/test/crash.test.ts': 24,
  'plugins/transforms/test/schedules.test.ts': 11,
  'plugins/pipelines/test/pipelines.test.ts': 20,
  'plugins/pipelines/test/remote-catalog.test.ts': 14,
  'plugins/pipelines/test/documents.test.ts': 8,
  'plugins/transforms/test/groups.test.ts': 16,
  'plugins/transforms/test/groups-together.test.ts': 22,
  'plugins/transforms/test/groups-adopt.test.ts': 24,
  'plugins/transforms/test/groups-partitions.test.ts': 12,
  'plugins/transforms/test/groups-crash.test.ts': 34,
  'plugins/transforms/test/restarts.test.ts': 16,
  'plugins/sources/test/containers.test.ts': 16,
  'plugins/sources/test/credentials-life.test.ts': 16,
  'test/test/web-first-run.test.ts': 32,
  'test/test/web-load.test.ts': 32,
  'test/test/web-plugin-pages.test.ts': 22,
  'test/test/web-operations.test.ts': 32,
  'connectors/postgres/test/product.test.ts': 15,
  'plugins/transform-patterns/test/merge.test.ts': 15,
  'test/test/webhooks.test.ts': 14,
  'plugins/sources/test/rotated-store.test.ts': 13,
  'test/test/tracing.test.ts': 12,
  'plugins/sources/test/cancels.test.ts': 20,
  'plugins/sources/test/crash.test.ts': 12,
  'plugins/sources/test/discovery-runs.test.ts': 11,
  'plugins/schedules/test/reconcile.test.ts': 11,
  'test/test/variables-programs.test.ts': 11,
  'workers/test/health.test.ts': 11,
  'plugins/sources/test/pulling.test.ts': 10,
  'plugins/transform-patterns/test/definitions.test.ts': 8,
  'plugins/sources/test/hung-child.test.ts': 9,
  'lakehouse/test/interop/interop.test.ts': 9,
  'workers/test/poller-truth.test.ts': 9,
  'test/test/variables.test.ts': 11,
  'plugins/sources/test/discovery-images.test.ts': 8,
  'connectors/files/test/values.test.ts': 8,
  'test/test/openapi.test.ts': 8,
  'test/test/hostile.test.ts': 8,
  'cli/test/connectors.test.ts': 8,
  'plugins/datasets/test/sweep.test.ts': 9,
  // Ten tenants, each planned, applied and exported.
  'plugins/apply/test/round-trip.test.ts': 9,
  'plugins/platform/test/whole-platform.test.ts': 7.5,
  'plugins/transforms/test/hydrate.test.ts': 7,
  'plugins/sources/test/edited-files.test.ts': 26,
  'plugins/sources/test/add-connector.test.ts': 8,
  'cli/test/connectors-add.test.ts': 7,
  'test/test/web-add-connector.test.ts': 12,
  'plugins/sources/test/shared-states.test.ts': 7,
  'plugins/sources/test/states-left-out.test.ts': 7,
  'plugins/sources/test/rotated-credentials.test.ts': 7,
  'connectors/files/test/segments.test.ts': 7,
  'test/test/run-files.test.ts': 8,
  'test/test/vault.test.ts': 7,
  'connectors/files/test/rejects.test.ts': 11,
  'connectors/files/test/union.test.ts': 7,
  'connectors/files/test/faults.test.ts': 7,
  'plugins/sources/test/credentials-migrate.test.ts': 6.5,
};

/** A file that uses so many times its budget fails. */
export const TOO_DEAR = 2;
/** A running file that has used so many times its budget is ended. */
export const RUNAWAY = 5;

export const budgetOf = (file: string): number => BUDGETS[file] ?? USUAL_BUDGET;
