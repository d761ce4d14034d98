/** One attempt of a discovery or of a sync, in a process that a test can kill. Its argument is `{ tenant, run_id, source_id? }`. */

import { bootPlatform } from '@weir/kernel/boot';
import { pino } from 'pino';
import { discovering } from '../src/work/discovery/run-discovery.ts';
import { discoveryKit } from '../src/work/kits.ts';
import { syncing } from '../src/work/sync/run-attempt.ts';
import { attemptDeps } from './own-attempt.ts';

const { tenant, run_id: runId, source_id: sourceId } = JSON.parse(process.argv[2] ?? '{}');
const { WEIR_PLATFORM: platformFile = '', WEIR_WORK_DIR: workDir = '' } = process.env;
const log = pino({ level: 'silent' });
const platform = await bootPlatform({ platformFile, environment: process.env, program: 'worker', log });
const kernel = platform.plugins.find(({ manifest }) => manifest.id === 'sources')?.kernel;
if (kernel === undefined) throw new Error('the plugin is not there');
const children = { started: () => undefined, ended: () => undefined };
const input = { tenant_id: tenant.tenantId, run_id: runId };
if (sourceId === undefined) await discovering.attempt(discoveryKit({ kernel, children, workDir, slotMiB: 512 }), input);
else await syncing.attempt(attemptDeps(kernel, { children, workDir }), input);
await platform.stop();
