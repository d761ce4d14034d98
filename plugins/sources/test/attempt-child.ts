/** One attempt of a discovery or of a sync, in a process that a test can kill. Its argument is `{ tenant, run_id, source_id? }`. */

import { bootPlatform } from '@weir/kernel/boot';
import { Audits, Producers, Tables } from '@weir/plugin-datasets/contract';
import { pino } from 'pino';
import { discoveryDeps } from '../src/discovery/activities.ts';
import { runDiscovery } from '../src/discovery/run-discovery.ts';
import { roleEngine } from '../src/runtime/role-engine.ts';
import { copyTokens } from '../src/sync/copy-tokens.ts';
import { runAttempt } from '../src/sync/run-attempt.ts';
import { beginChild } from '../src/sync/run-child.ts';
import { spareChild } from '../src/sync/spare-child.ts';

const { tenant, run_id: runId, source_id: sourceId } = JSON.parse(process.argv[2] ?? '{}');
const { WEIR_PLATFORM: platformFile = '', WEIR_WORK_DIR: workDir = '' } = process.env;
const log = pino({ level: 'silent' });
const platform = await bootPlatform({ platformFile, environment: process.env, program: 'worker', log });
const kernel = platform.plugins.find(({ manifest }) => manifest.id === 'sources')?.kernel;
if (kernel === undefined) throw new Error('the plugin is not there');
const children = { started: () => undefined, ended: () => undefined };
const { signal } = new AbortController();
const deps = discoveryDeps({ kernel, children, workDir });
if (sourceId === undefined) {
  await runDiscovery(deps, tenant, { runId, signal, beat: () => undefined });
} else {
  const services = { tables: kernel.use(Tables), producers: kernel.use(Producers), audits: kernel.use(Audits) };
  const spare = spareChild(() => beginChild(children, { inContainers: false }));
  const own = { ...services, tokens: copyTokens(1), engine: roleEngine(kernel, 'source'), spare };
  await runAttempt({ ...deps, ...own }, { tenant, runId, sourceId, signal, onProgress: () => undefined });
}
await platform.stop();
