import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { plainly } from '../build.ts';

const MAX_OUTPUT = 64 * 1024 * 1024;
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** Runs a JavaScript program of an installed package in `root`; rejects with its output when it fails. */
export async function runTool(root: string, program: string, args: readonly string[]): Promise<void> {
  const [command, line] = plainly(process.execPath, [`${MODULES}${program}`, ...args]);
  try {
    await promisify(execFile)(command, line, { cwd: root, maxBuffer: MAX_OUTPUT });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    throw new Error(`${stdout}\n${stderr}`.trim() || message);
  }
}
