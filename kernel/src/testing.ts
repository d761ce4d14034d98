import type { Database, DatabaseOptions } from './persistence/open-database.ts';
import type { WeirPlugin } from './plugins/define-plugin.ts';
import type { Teardown } from './testing/test-issuer.ts';
import type { PluginUnderTest, TestPluginOptions } from './testing/test-plugin.ts';

export { type CollectedSpan, type TestCollector, testCollector } from '@weir/telemetry/testing';
export { conformance, type DeployedPlugin, type Suite } from './testing/conformance.ts';
export { memoryWorkflows } from './testing/memory-workflows.ts';
export { type DatabaseTools, type TestConnection, type TestDatabase, testDatabase } from './testing/test-database.ts';
export { type TestIssuer, testIssuer } from './testing/test-issuer.ts';
export type { PluginUnderTest, Teardown, TestPluginOptions };

/** Boots a plugin alone; see `testing/test-plugin.ts`. Only now the database layer and the HTTP server load. */
export const testPlugin = async (
  t: Teardown,
  plugin: WeirPlugin,
  options: TestPluginOptions,
): Promise<PluginUnderTest> => (await import('./testing/test-plugin.ts')).testPlugin(t, plugin, options);

/** Opens the pool of a database with runs and these entities; see `persistence/open-database.ts`. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const [open, { Run }] = await Promise.all([import('./persistence/open-database.ts'), import('./runs/run-entity.ts')]);
  return open.openDatabase({ ...options, entities: [Run, ...options.entities] });
};
