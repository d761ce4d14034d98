import { Platform, type WorkerDeps } from '@weir/kernel';
import { Producers, Tables } from '@weir/plugin-datasets/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import { attempt, logLeft, type Outcome, type RunInput, runActivities, tenantOf, workFolders } from '@weir/work';
import { sourceFailures } from '../model/failure/failure-of.ts';
import { patternCatalog } from '../service/pattern/catalog.ts';
import { loadPatterns } from '../service/pattern/load-patterns.ts';
import { settingsOf } from '../settings.ts';
import { discoveredSource } from './discovery/discovered-source.ts';
import { knownSpecs } from './discovery/known-specs.ts';
import { type DiscoveryDeps, finishDiscovery, runDiscovery } from './discovery/run-discovery.ts';
import { inspectImage } from './inspection/run-inspection.ts';
import { roleEngine } from './runtime/role-engine.ts';

export type DiscoveryActivities = ReturnType<typeof discoveryActivities>;

/** What discoveries of one worker process need. */
export function discoveryDeps({ kernel, children, workDir }: WorkerDeps): DiscoveryDeps {
  const { connectors } = loadPatterns(settingsOf(kernel).WEIR_PLATFORM, kernel.log);
  const patterns = { of: patternCatalog(kernel.use(Platform).sql).of, connectors };
  return {
    kernel,
    patterns,
    folders: workFolders(workDir, logLeft(kernel)),
    children,
    engine: roleEngine(kernel, 'discovery'),
    runLogs: kernel.use(RunLogs),
    specs: knownSpecs(),
  };
}

/** The activities of role `discovery`, over what the worker program gives. */
export function discoveryActivities(given: WorkerDeps) {
  const deps = discoveryDeps(given);
  const { kernel, folders, patterns, runLogs } = deps;
  const services = { tables: kernel.use(Tables), producers: kernel.use(Producers) };
  const inspections = runActivities({ kernel, runLogs, failures: sourceFailures });
  const swept = folders.sweep();

  return {
    /** Asks a connector for its streams and keeps them; one attempt. */
    discover: (input: RunInput): Promise<void> =>
      attempt(
        { log: kernel.log, failures: sourceFailures, keysOf: discoveredSource(kernel) },
        input,
        async ({ signal, beat, log }) => {
          await swept;
          await runDiscovery({ ...deps, kernel: { ...kernel, log } }, await tenantOf(kernel, input), {
            runId: input.run_id,
            signal,
            beat,
          });
        },
      ),

    /** Makes a discovery terminal and brings the streams of its source in line with it. */
    endDiscovery: async (input: RunInput, outcome: Outcome): Promise<void> =>
      finishDiscovery({ kernel, services, patterns, runLogs }, await tenantOf(kernel, input), input.run_id, outcome),

    /** Looks at a connector image; one attempt. */
    inspectImage: inspections.attempt(inspectImage(deps)),

    /** Makes an inspection terminal. */
    endInspection: inspections.end,
  };
}
