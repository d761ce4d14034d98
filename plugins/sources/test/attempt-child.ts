/** One attempt of a discovery or of a sync, in a process that a test can kill. Its argument is `{ tenant, run_id, source_id? }`. */

import { bootPlatform } from '@weir/kernel/boot';
import { uncountedAttempts } from '@weir/work';
import { pino } from 'pino';
import { runDiscovery } from '../src/work/discovery/run-discovery.ts';
import { discoveryDeps } from '../src/work/discovery-activities.ts';
import { runAttempt } from '../src/work/sync/run-attempt.ts';
import { attemptDeps } from './own-attempt.ts';

const { tenant, run_id: runId, source_id: sourceId } = JSON.parse(process.argv[2] ?? '{}');
const { WEIR_PLATFORM: platformFile = '', WEIR_WORK_DIR: workDir = '' } = process.env;
const log = pino({ level: 'silent' });
const platform = await bootPlatform({ platformFile, environment: process.env, program: 'worker', log });
const kernel = platform.plugins.find(({ manifest }) => manifest.id === 'sources')?.kernel;
if (kernel === undefined) throw new Error('the plugin is not there');
const children = { started: () => undefined, ended: () => undefined };
const { signal } = new AbortController();
if (sourceId === undefined) {
  await runDiscovery(discoveryDeps({ kernel, children, workDir }), tenant, { runId, signal, beat: () => undefined });
} else {
  const uncounted = uncountedAttempts(undefined, () => undefined);
  const request = { tenant, runId, sourceId, signal, uncounted, onProgress: uncounted.progress };
  await runAttempt(attemptDeps(kernel, { children, workDir }), request);
}
await platform.stop();
