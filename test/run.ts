import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildPrograms } from '../cli/build.ts';
import { budgetOf, RUNAWAY, TOO_DEAR } from './budgets.ts';
import { type CpuHistory, inOrder, readCpuHistory, writeCpuHistory } from './cpu-history.ts';
import { engineLines } from './engine-uses.ts';
import { ownCpuSeconds } from './file-processes.ts';
import { LANE_VARIABLE } from './lane.ts';
import { killFiles, runFile } from './run-file.ts';
import { busyMeter, runFiles } from './run-files.ts';
import { lockRuns } from './run-lock.ts';
import { SERVICE_VARIABLES } from './service-table.ts';
import { type TestServices, testServices } from './services.ts';
import { readStandingServices } from './standing-services.ts';
import type { Failure, FileResult } from './tap-results.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const TESTS = ['*/**/test/**/*.test.ts', 'test/test/*.test.ts'];
const TERMINATED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How many of the dearest files are named at the end. */
const DEAREST = 5;
/** Files whose commands and processes may start from sources: to bundle these would take longer. */
const FEW = 5;
/** Each file that runs takes the ports of its servers from a range of its own. */
const [FIRST_PORT, PORTS_PER_FILE] = [20_000, 1_000];

const say = (line: string) => void process.stderr.write(`${line}\n`);
const isLane = process.env[LANE_VARIABLE] !== undefined;

/**
 * The given files, or those that a change since `base` may reach, or every test file of the checkout, as paths from the
 * root. The template's own tests are run by `test/test/template.test.ts`, from packed packages, as a third party would.
 */
async function testFiles(given: readonly string[], base: string | undefined): Promise<string[]> {
  if (given.length > 0) return given.map((file) => path.relative(ROOT, path.resolve(file)));
  const exclude = (name: string) => name.includes('node_modules') || name.startsWith('plugin-template');
  const all = [...new Set(await Array.fromAsync(glob(TESTS, { cwd: ROOT, exclude })))].sort();
  if (base === undefined) return all;
  const { changedTests } = await import('./changed-tests.ts');
  return changedTests(ROOT, base, all, say);
}

function tellFailure({ name, diagnosis }: Failure): void {
  say(`✗ ${name}`);
  if (diagnosis !== '') say(diagnosis.replaceAll(/^/gm, '    '));
}

function tell({ file, passed, failed, cpuSeconds }: FileResult, seconds: number): void {
  const count = failed > 0 ? `${failed} failed, ${passed} passed` : `${passed}`;
  const computed = cpuSeconds === undefined ? '' : `, ${cpuSeconds.toFixed(1)} CPU-s`;
  say(`  ${failed > 0 ? '✗' : '✓'} ${file}  ${count}  ${seconds.toFixed(1)} s${computed}`);
}

/** A file far over its budget fails; lanes have none. */
function judgeCost(result: FileResult): FileResult {
  const { file, cpuSeconds = 0 } = result;
  const budget = budgetOf(file);
  if (isLane || cpuSeconds <= budget * TOO_DEAR) return result;
  const failure = {
    name: `${file} > CPU`,
    diagnosis: `used ${cpuSeconds.toFixed(1)} CPU-s, its budget is ${budget}: make it cheaper, or name it in test/budgets.ts`,
  };
  tellFailure(failure);
  return { ...result, failed: result.failed + 1, failures: [...result.failures, failure] };
}

/** Where the temporary folders of the files lie: a short path, since sockets lie in them. */
const folder = mkdtempSync(path.join(tmpdir(), 'weir-'));
// Servers and engines that run as other users reach their own folders below it.
chmodSync(folder, 0o711);

/** Runs the files, the dearest first, and tells each as it ends. */
async function runTests(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  services: TestServices,
  signal: AbortSignal,
): Promise<FileResult[]> {
  const results: FileResult[] = [];
  await runFiles(
    inOrder(files, readCpuHistory()),
    async (file, slot) => {
      const begun = Date.now();
      const ports = `${FIRST_PORT + slot * PORTS_PER_FILE}-${FIRST_PORT + (slot + 1) * PORTS_PER_FILE - 1}`;
      const result = await runFile(file, {
        ...{ cwd: ROOT, folder: path.join(folder, `${slot}`.padStart(2, '0')), onFailure: tellFailure },
        env: { ...env, ...services.addresses, WEIR_TEST_PORTS: ports },
        variables: SERVICE_VARIABLES,
        need: services.need,
        ...(isLane ? {} : { maxCpuSeconds: budgetOf(file) * RUNAWAY }),
      });
      const judged = judgeCost(result);
      results.push(judged);
      tell(judged, (Date.now() - begun) / 1_000);
    },
    signal,
  );
  return results;
}

/** Prints what the run cost and what came of it; gives how many failed. */
function report(results: readonly FileResult[], wallSeconds: number, busy: number): number {
  const sum = (count: (result: FileResult) => number) => results.reduce((total, result) => total + count(result), 0);
  const failures = results.flatMap((result) => result.failures);
  // A run of nothing proves nothing.
  const failed = results.length === 0 ? 1 : sum((result) => result.failed);
  if (failures.length > 0 && results.length > 1) {
    say('\nfailed:');
    for (const { name } of failures) say(`  ✗ ${name}`);
  }
  for (const line of engineLines(results)) say(line);
  const skipped = sum((result) => result.skipped);
  if (skipped > 0) say(`${skipped} skipped`);
  const cpu: CpuHistory = Object.fromEntries(results.flatMap(({ file, cpuSeconds = 0 }) => [[file, cpuSeconds]]));
  if (!isLane) writeCpuHistory(cpu);
  if (results.length > DEAREST) {
    const dearest = Object.entries(cpu).sort(([, a], [, b]) => b - a);
    const told = (some: typeof dearest) => some.map(([file, seconds]) => `${file} ${seconds.toFixed(1)}`).join(', ');
    say(`dearest: ${told(dearest.slice(0, DEAREST))}`);
    const over = dearest.filter(([file, seconds]) => seconds > budgetOf(file));
    if (!isLane && over.length > 0) say(`over their budget: ${told(over)}`);
  }
  const total = ownCpuSeconds();
  const all =
    total === undefined
      ? ''
      : `${total.toFixed(0)} CPU-s with services, ${sum(({ cpuSeconds = 0 }) => cpuSeconds).toFixed(0)} in ${results.length} files; `;
  say(`${all}${wallSeconds.toFixed(0)} s, the cores busy for ${(busy * 100).toFixed(0)} % of it`);
  process.stdout.write(`\n${sum((result) => result.passed)} passed, ${failed} failed\n`);
  return failed;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { changed: { type: 'boolean', default: false } },
  });
  const [base = 'HEAD'] = positionals;
  const files = await testFiles(values.changed ? [] : positionals, values.changed ? base : undefined);
  if (files.length === 0) {
    say(`no test can reach what has changed since ${base}`);
    process.stdout.write('\n0 passed, 0 failed\n');
    return 0;
  }
  if (positionals.length === 0 && !values.changed) await lockRuns(say);
  // Many files start commands and processes; what does not build is for its own tests to say.
  if (files.length > FEW)
    await buildPrograms().catch((fault: Error) => say(`the programs run from their sources: ${fault.message}`));
  const env = { ...process.env, ...readStandingServices()?.addresses };
  const services = testServices(env, say);
  const stop = new AbortController();
  const end = async () => {
    stop.abort();
    killFiles();
    await services.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of TERMINATED) {
    // Not `once`: a supervisor of servers ends the process when it finds no other listener.
    process.on(signal, () => void end().finally(() => process.exit(128 + constants.signals[signal])));
  }
  const [started, busy] = [Date.now(), busyMeter()];
  let results: FileResult[] = [];
  try {
    results = await runTests(files, env, services, stop.signal);
  } finally {
    await end();
  }
  return report(results, (Date.now() - started) / 1_000, busy()) === 0 ? 0 : 1;
}

process.exitCode = await main().catch((fault: Error) => {
  say(fault.message);
  process.stdout.write('\n0 passed, 1 failed\n');
  return 1;
});
