import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FaultPoint } from '@weir/kernel';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import type { TestPlatform } from './platform.ts';

/** A run that waits for a worker; with a source it is a sync, else a discovery. */
export interface WaitingRun {
  run_id: string;
  source_id?: string;
}

/** Where a process of an attempt is killed, once those before were passed, and what its own is told otherwise than the platform. */
export interface Killing {
  points: readonly [FaultPoint, ...FaultPoint[]];
  environment?: Record<string, string>;
}

/** Has the process of an attempt of a run of tenant `demo` killed that comes to a point, its own or that of its sync. */
export async function killedAttempt(
  platform: TestPlatform,
  { run_id, source_id }: WaitingRun,
  { points, environment = {} }: Killing,
): Promise<void> {
  const faults = await faultFolder(join(platform.folder, 'faults'));
  await faults.clear();
  await faults.arm(points[0]);
  const order = JSON.stringify({ tenant: await platform.tenant('demo'), run_id, source_id });
  const program = join(import.meta.dirname, 'attempt-child.ts');
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['--conditions=@weir/source', program, order], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...platform.environment, ...environment, WEIR_FAULTPOINTS: faults.path },
    stdio: ['ignore', 'ignore', process.env.WEIR_TEST_VERBOSE ? 'inherit' : 'ignore'],
  });
  const gone = once(child, 'exit');
  let pid = await faults.held(points[0]);
  for (const [at, point] of points.slice(1).entries()) {
    await faults.arm(point);
    await faults.release([points[at] ?? point]);
    pid = await faults.held(point);
  }
  process.kill(pid, 'SIGKILL');
  await gone;
}
