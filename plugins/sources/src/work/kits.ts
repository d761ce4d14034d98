import { cpus } from 'node:os';
import { Platform, type WorkerDeps } from '@weir/kernel';
import { Audits, Producers, Tables } from '@weir/plugin-datasets/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import { copyTokens, logLeft, spareChild, workFolders } from '@weir/work';
import { sourceFailures } from '../model/failure/failure-of.ts';
import { patternCatalog } from '../service/pattern/catalog.ts';
import { loadPatterns } from '../service/pattern/load-patterns.ts';
import { receiptService } from '../service/receipt/service.ts';
import { settingsOf } from '../settings.ts';
import { knownSpecs } from './discovery/known-specs.ts';
import { roleEngine } from './runtime/role-engine.ts';
import { beginSyncChild } from './sync/run-child.ts';

/** What the runs of both roles need. */
function commonKit({ kernel, children, workDir }: WorkerDeps) {
  const { connectors } = loadPatterns(settingsOf(kernel).WEIR_PLATFORM, kernel.log);
  return {
    kernel,
    children,
    failures: sourceFailures,
    runLogs: kernel.use(RunLogs),
    patterns: { of: patternCatalog(kernel.use(Platform).sql).of, connectors },
    folders: workFolders(workDir, logLeft(kernel)),
    tables: kernel.use(Tables),
    producers: kernel.use(Producers),
  };
}

/** What the runs of role `source` share in one process. */
export function sourceKit(given: WorkerDeps) {
  const { kernel, children } = given;
  const inContainers = settingsOf(kernel).SOURCE_SOCKET_DIR !== undefined;
  return {
    ...commonKit(given),
    audits: kernel.use(Audits),
    receipts: receiptService(kernel),
    engine: roleEngine(kernel, 'source'),
    tokens: copyTokens(cpus().length),
    spare: spareChild(() => beginSyncChild(children, { inContainers })),
  };
}

/** What the runs of role `discovery` share in one process. */
export function discoveryKit(given: WorkerDeps) {
  return { ...commonKit(given), engine: roleEngine(given.kernel, 'discovery'), specs: knownSpecs() };
}
