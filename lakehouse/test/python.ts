import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const RUN_TIMEOUT_MS = 360_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs a script with the Python that has PyIceberg, which `npm test` prepares; what it prints last, as JSON. */
export async function runPython(script: string, ...args: readonly string[]): Promise<unknown> {
  const python = process.env.WEIR_TEST_PYTHON;
  if (python === undefined) throw new Error('WEIR_TEST_PYTHON is not set: run tests with npm test');
  const limits = { timeout: RUN_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout } = await promisify(execFile)(python, ['-c', script, ...args], limits);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null');
}
