import { glob } from 'node:fs/promises';
import { constants } from 'node:os';
import path from 'node:path';
import { engineLines } from './engine-uses.ts';
import { runFile } from './run-file.ts';
import { busyMeter, inOrder, runFiles } from './run-files.ts';
import { startServices, type TestServices } from './services.ts';
import { SLOW_FILES } from './slow-files.ts';
import type { FileResult } from './tap-results.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const TESTS = '*/**/test/**/*.test.ts';
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
  return inOrder([...new Set(files)].sort(), SLOW_FILES);
}

function tell({ file, passed, failed, cpuSeconds }: FileResult, seconds: number): void {
  const count = failed > 0 ? `${failed} failed, ${passed} passed` : `${passed}`;
  const computed = cpuSeconds === undefined ? '' : `, ${cpuSeconds.toFixed(1)} s computing`;
  say(`  ${failed > 0 ? '✗' : '✓'} ${file}  ${count}  ${seconds.toFixed(1)} s${computed}`);
}

/** Runs the files, tells each as it ends, and at last how well the machine was used. */
async function runTests(files: readonly string[], services: TestServices): Promise<FileResult[]> {
  const env = { ...process.env, ...services.addresses };
  const results: FileResult[] = [];
  const started = Date.now();
  const busy = busyMeter();
  await runFiles(files, async (file) => {
    const begun = Date.now();
    const result = await runFile(file, { cwd: ROOT, env });
    results.push(result);
    tell(result, (Date.now() - begun) / 1_000);
  });
  const computed = results.reduce((sum, { cpuSeconds = 0 }) => sum + cpuSeconds, 0);
  const took = ((Date.now() - started) / 1_000).toFixed(0);
  say(
    `${took} s, the cores busy for ${(busy() * 100).toFixed(0)} % of it; ${computed.toFixed(0)} s computing in the files`,
  );
  return results;
}

/** Prints what came of the tests; gives how many failed. */
function report(results: readonly FileResult[]): number {
  const sum = (count: (result: FileResult) => number) => results.reduce((total, result) => total + count(result), 0);
  const [passed, skipped] = [sum((result) => result.passed), sum((result) => result.skipped)];
  // A run of nothing proves nothing.
  const failed = results.length === 0 ? 1 : sum((result) => result.failed);
  for (const { name, diagnosis } of results.flatMap(({ failures }) => failures)) {
    say(`\n✗ ${name}`);
    if (diagnosis !== '') say(diagnosis.replaceAll(/^/gm, '    '));
  }
  for (const line of engineLines(results)) say(line);
  if (skipped > 0) say(`${skipped} skipped`);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed;
}

async function main(): Promise<number> {
  const files = await testFiles(process.argv.slice(2));
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
