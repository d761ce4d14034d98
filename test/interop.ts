import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { toolCache } from '@weir/embedded';
import { pythonWith } from './python.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const TESTS = ['lakehouse/test/interop/interop.test.ts', 'lakehouse/test/golden/golden.test.ts'];
/** Spark comes as a source package whose contents are jars. */
const SPARK = ['--no-binary=pyspark', 'pyspark==3.5.7'];
const JARS = ['org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.0', 'org.postgresql:postgresql:42.7.7'];
const DOWNLOAD_TIMEOUT_MS = 600_000;

/** The paths of the jars, fetched once by Maven into the tool cache. */
async function jars(): Promise<string> {
  const hash = createHash('sha256').update(JARS.join(' ')).digest('hex').slice(0, 16);
  const folder = path.join(toolCache(), `spark-jars-${hash}`);
  const paths: string[] = [];
  for (const artifact of JARS) {
    const [, name, version] = artifact.split(':');
    const jar = path.join(folder, `${name}-${version}.jar`);
    if (!existsSync(jar)) {
      const args = ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
      await promisify(execFile)('mvn', args, { timeout: DOWNLOAD_TIMEOUT_MS });
    }
    paths.push(jar);
  }
  return paths.join(',');
}

/**
 * `npm run interop [-- --spark]`: our tables between our engine and others, and tables that others wrote. With Spark it
 * needs Java 17 and Maven.
 */
async function main(args: readonly string[]): Promise<void> {
  const env = { ...process.env };
  if (args.includes('--spark')) {
    env.WEIR_TEST_SPARK_PYTHON = await pythonWith('test-spark', SPARK);
    env.WEIR_TEST_SPARK_JARS = await jars();
  }
  const program = path.join(import.meta.dirname, 'run.ts');
  const flags = process.execArgv;
  const child = spawn(process.execPath, [...flags, program, ...TESTS], { cwd: ROOT, env, stdio: 'inherit' });
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

await main(process.argv.slice(2));
