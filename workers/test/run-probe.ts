import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** What a program of ours is started with. */
export const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const PROGRAM = join(import.meta.dirname, '../src/health.ts');

/** How the probe ended, and the line that it printed. */
interface Probed {
  code: number;
  said: { healthy?: boolean; findings?: { check: string; outcome: string; detail: string }[]; faults?: string[] };
}

/** Runs the probe to its end. */
export function probe(environment: Readonly<Record<string, string>>, args = ['--roles', 'slow']): Promise<Probed> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [...NODE_ARGS, PROGRAM, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), said: JSON.parse(stdout || stderr) });
    });
  });
}
