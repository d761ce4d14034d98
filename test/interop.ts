import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { LANE_VARIABLE } from './lane.ts';
import { mavenJars } from './maven-jars.ts';
import { pythonWith } from './python.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const INTEROP = path.join('lakehouse', 'test', 'interop');
const TESTS = ['interop/interop', 'interop/rest-commits', 'golden/golden', 'pyiceberg', 'read-history'].map((name) =>
  path.join('lakehouse', 'test', `${name}.test.ts`),
);
const REST_TESTS = [path.join('lakehouse', 'test', 'catalog-rest.test.ts')];
/** Spark comes as a source package whose contents are jars. */
const SPARK = ['--no-binary=pyspark', 'pyspark==3.5.7'];
/** The reference interpreter of declarative manifests. */
const CDK = ['airbyte-cdk==7.39.1'];
const DECLARATIVE_TESTS = [path.join('connectors', 'http', 'test', 'reference.test.ts')];

/** The jars that a Maven project of the interop tests names. */
const jars = (name: string) => mavenJars(path.join(ROOT, INTEROP, `${name}.pom.xml`));

/**
 * `npm run interop [-- --spark] [--rest]`: all cases of our tables between our engine and others, and of tables that others
 * wrote; with Spark; with the REST catalog of Iceberg's own tests. Both need Java 17 and Maven. `--declarative` is alone: the
 * connector `http` beside the reference interpreter of its manifests, whose records and states it writes down for the other tests.
 */
async function main(args: readonly string[]): Promise<void> {
  const isDeclarative = args.includes('--declarative');
  const env: NodeJS.ProcessEnv = { ...process.env, ...(isDeclarative ? {} : { [LANE_VARIABLE]: 'interop-all' }) };
  const tests = isDeclarative ? [...DECLARATIVE_TESTS] : [...TESTS];
  if (isDeclarative) env.WEIR_TEST_CDK_PYTHON = await pythonWith('test-cdk', CDK);
  if (args.includes('--spark')) {
    const folder = await jars('spark');
    env.WEIR_TEST_SPARK_PYTHON = await pythonWith('test-spark', SPARK);
    env.WEIR_TEST_SPARK_JARS = (await readdir(folder)).map((jar) => path.join(folder, jar)).join(',');
  }
  if (args.includes('--rest')) {
    env.WEIR_TEST_REST_JARS = path.join(await jars('rest-server'), '*');
    tests.push(...REST_TESTS);
  }
  const program = path.join(import.meta.dirname, 'run.ts');
  const flags = process.execArgv;
  const child = spawn(process.execPath, [...flags, program, ...tests], { cwd: ROOT, env, stdio: 'inherit' });
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

await main(process.argv.slice(2));
