import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import type { TestPlatform } from './platform.ts';

/** A run that waits for a worker; with a source it is a sync, else a discovery. */
export interface WaitingRun {
  run_id: string;
  source_id?: string;
}

/**
 * Has an attempt of a run of tenant `demo` killed where a credential that its connector renewed is kept, and nothing else of
 * the attempt has to be. `environment` is what its process is told otherwise than the platform.
 */
export async function killedAttempt(
  platform: TestPlatform,
  { run_id, source_id }: WaitingRun,
  environment: Record<string, string> = {},
): Promise<void> {
  const faults = await faultFolder(join(platform.folder, 'faults'));
  await faults.arm('C6');
  const order = JSON.stringify({ tenant: await platform.tenant('demo'), run_id, source_id });
  const program = join(import.meta.dirname, 'attempt-child.ts');
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['--conditions=@weir/source', program, order], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...platform.environment, ...environment, WEIR_FAULTPOINTS: faults.path },
    stdio: ['ignore', 'ignore', process.env.WEIR_TEST_VERBOSE ? 'inherit' : 'ignore'],
  });
  await faults.held('C6');
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
