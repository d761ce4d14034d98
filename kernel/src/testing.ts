export { openDatabase } from './persistence/open-database.ts';
export { createRuns } from './runs/create-runs.ts';
export { conformance, type DeployedPlugin, type Suite } from './testing/conformance.ts';
export { memoryWorkflows } from './testing/memory-workflows.ts';
export { type CollectedSpan, type TestCollector, testCollector } from './testing/test-collector.ts';
export { type DatabaseTools, type TestConnection, type TestDatabase, testDatabase } from './testing/test-database.ts';
export { type Teardown, type TestIssuer, testIssuer } from './testing/test-issuer.ts';
export { type PluginUnderTest, testPlugin } from './testing/test-plugin.ts';
