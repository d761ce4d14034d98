import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { toolCache } from '@weir/embedded';
import { uncounted } from './file-processes.ts';

/** The independent readers of our tables: other people's code, so that a fault of ours cannot hide in both. */
const REQUIREMENTS = [
  'pyiceberg[sql-postgres,pyarrow,pyiceberg-core]==0.12.0',
  'duckdb==1.5.5',
  'duckdb-extension-avro==1.5.5',
  'duckdb-extension-httpfs==1.5.5',
  'duckdb-extension-iceberg==1.5.5',
];

/**
 * The interpreter of a virtual environment that holds PyIceberg and DuckDB, made once in the tool cache and used again
 * while the requirements and the Python version stay the same. Throws when there is no Python with `venv`, or no index.
 */
export const testPython = (python = 'python3'): Promise<string> => pythonWith('test-python', REQUIREMENTS, python);

/** The interpreter of an environment that holds these requirements, each pinned; kept in the tool cache by its name. */
export async function pythonWith(name: string, requirements: readonly string[], python = 'python3'): Promise<string> {
  const run = promisify(execFile);
  const { stdout: version } = await run(python, ['-c', 'import sys; print(sys.version, sys.base_prefix)']);
  const hash = createHash('sha256')
    .update(JSON.stringify([version, requirements]))
    .digest('hex')
    .slice(0, 16);
  const home = path.join(toolCache(), `${name}-${hash}`);
  const interpreter = path.join(home, 'bin', 'python');
  if (existsSync(interpreter)) return interpreter;
  await uncounted(() => install(home, requirements, python));
  return interpreter;
}

async function install(home: string, requirements: readonly string[], python: string): Promise<void> {
  const run = promisify(execFile);
  const draft = `${home}.${randomBytes(6).toString('hex')}`;
  try {
    await run(python, ['-m', 'venv', draft]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--only-binary=:all:', ...requirements];
    await run(path.join(draft, 'bin', 'python'), pip);
    await rename(draft, home);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
