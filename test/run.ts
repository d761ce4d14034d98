import { spawn } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServices, type TestServices } from './services.ts';
import { type FileResult, type TapResults, tapResults } from './tap-results.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const TESTS = '*/**/test/**/*.test.ts';
const TAP = fileURLToPath(new URL('run.mjs', import.meta.resolve('tap')));
const TERMINATED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const say = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Every test file of the checkout, or the given ones, as paths from the root, in order. The template's own tests are run
 * by `test/test/template.test.ts`, from packed packages, as a third party would.
 */
async function testFiles(given: readonly string[]): Promise<string[]> {
  if (given.length > 0) return given.map((file) => path.relative(ROOT, path.resolve(file)));
  const exclude = (name: string) => name.includes('node_modules') || name.startsWith('plugin-template');
  const files = await Array.fromAsync(glob([TESTS, 'test/test/*.test.ts'], { cwd: ROOT, exclude }));
  return [...new Set(files)].sort();
}

function runTap(args: readonly string[], env: NodeJS.ProcessEnv, stdout: (text: string) => void): Promise<number> {
  const child = spawn(process.execPath, [TAP, ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  child.stdout.setEncoding('utf8').on('data', stdout);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('exit', end);
      resolve(code ?? 1);
    });
  });
}

/** tap compiles its plugins into a class; after a fresh install that class still holds the ones we switched off. */
async function buildTap(): Promise<void> {
  const built = new URL(import.meta.resolve('@tapjs/test/test-built'));
  if (!(await readFile(built, 'utf8')).includes('@tapjs/typescript')) return;
  const code = await runTap(['build'], process.env, (text) => void process.stderr.write(text));
  if (code !== 0) throw new Error('tap cannot build its plugins');
}

function tell({ file, passed, failed, seconds }: FileResult): void {
  const count = failed > 0 ? `${failed} failed, ${passed} passed` : `${passed}`;
  say(`  ${failed > 0 ? '✗' : '✓'} ${file}  ${count}  ${seconds.toFixed(1)} s`);
}

async function runOnce(files: readonly string[], services: TestServices): Promise<TapResults> {
  const env = { ...process.env, ...services.addresses };
  const results = tapResults(files, tell);
  const code = await runTap(['run', '--reporter=tap', ...files], env, results.write);
  const totals = await results.end();
  if (code !== 0 && totals.failed === 0) {
    totals.failed = 1;
    totals.failures.push({ name: 'tap', diagnosis: `exit ${code}` });
  }
  return totals;
}

/** Runs the files; tap counts one that runs out of time twice and leaves out as many at the end, which then get their turn. */
async function runTests(files: readonly string[], services: TestServices): Promise<TapResults> {
  const first = await runOnce(files, services);
  if (first.unseen.length === 0 || first.unseen.length === files.length) return first;
  const rest = await runOnce(first.unseen, services);
  return {
    passed: first.passed + rest.passed,
    skipped: first.skipped + rest.skipped,
    failed: first.failed + rest.failed,
    failures: [...first.failures, ...rest.failures],
    unseen: rest.unseen,
  };
}

/** Prints what came of the tests; gives how many failed, a file that never ran being one. */
function report({ passed, failed, skipped, failures, unseen }: TapResults): number {
  const missing = unseen.map((name) => ({ name, diagnosis: 'did not run' }));
  for (const { name, diagnosis } of [...failures, ...missing]) {
    say(`\n✗ ${name}`);
    if (diagnosis !== '') say(diagnosis.replaceAll(/^/gm, '    '));
  }
  if (skipped > 0) say(`${skipped} skipped`);
  process.stdout.write(`\n${passed} passed, ${failed + unseen.length} failed\n`);
  return failed + unseen.length;
}

async function main(): Promise<number> {
  const files = await testFiles(process.argv.slice(2));
  await buildTap();
  const services = await startServices(process.env, say, { secretStore: true, engines: true });
  for (const signal of TERMINATED) {
    process.once(signal, () => {
      void services.stop().finally(() => process.exit(128 + constants.signals[signal]));
    });
  }
  try {
    return report(await runTests(files, services)) === 0 ? 0 : 1;
  } finally {
    await services.stop();
  }
}

process.exitCode = await main().catch((fault: Error) => {
  say(fault.message);
  process.stdout.write('\n0 passed, 1 failed\n');
  return 1;
});
