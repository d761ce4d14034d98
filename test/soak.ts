import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ownCpuSeconds } from './file-processes.ts';
import { LANE_VARIABLE } from './lane.ts';
import { laneFiles } from './lane-files.ts';
import { LANES, type Lane, type LaneName } from './lanes.ts';
import { hashInputs, headCommit, type LaneResult, readLane, staleLanes, storeLane } from './soak-results.ts';
import { SEED_VARIABLE } from './test-seed.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const NAMES = Object.keys(LANES) as LaneName[];
const MAX_SEED = 999_999_999;
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const VERDICT = /^(\d+) passed, (\d+) failed$/;
/** A lane begins by turns only when its last run, and half as much again, fits into the time that is left. */
const MARGIN = 1.5;
const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Keeps every core busy until `stop`. */
function hog(): { stop(): void } {
  const busy = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  return { stop: () => void busy.map((child) => child.kill('SIGKILL')) };
}

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

/** Runs a program to its end, shows its output, and reads its last line; a program without a verdict counts as one test. */
function run(args: readonly string[], env: NodeJS.ProcessEnv, seen: (child: ChildProcess) => void): Promise<Outcome> {
  const child = spawn(process.execPath, [...NODE_ARGS, ...args], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  seen(child);
  let last = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    last = `${last}${text}`.trimEnd().split('\n').at(-1) ?? '';
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const [, passed, failed] = VERDICT.exec(last) ?? [];
      const own = { passed: Number(passed ?? (code === 0 ? 1 : 0)), failed: Number(failed ?? 0) };
      resolve(code === 0 ? own : { ...own, failed: Math.max(1, own.failed) });
    });
  });
}

/** Runs a lane and stores its result. */
async function runLane(name: LaneName, seen: (child: ChildProcess) => void): Promise<LaneResult> {
  const lane: Lane = LANES[name];
  const seed = lane.newSeed ? randomInt(MAX_SEED) : undefined;
  const env = {
    ...process.env,
    ...lane.env,
    [LANE_VARIABLE]: name,
    ...(seed === undefined ? {} : { [SEED_VARIABLE]: String(seed) }),
  };
  say(`soak: ${name}${seed === undefined ? '' : `, ${SEED_VARIABLE}=${seed}`}`);
  const program = lane.program ?? ['test/run.ts', ...(await laneFiles(ROOT, name))];
  const [began, cpuBefore, inputs] = [Date.now(), ownCpuSeconds() ?? 0, await hashInputs(lane)];
  const load = lane.hog ? hog() : undefined;
  try {
    const outcome = await run(program, env, seen);
    const result: LaneResult = {
      ...{
        lane: name,
        commit: await headCommit(),
        date: new Date().toISOString(),
        ...(seed === undefined ? {} : { seed }),
      },
      ...{
        ...outcome,
        cpu_s: Math.round((ownCpuSeconds() ?? 0) - cpuBefore),
        seconds: Math.round((Date.now() - began) / 1_000),
      },
      inputs,
    };
    await storeLane(name, result);
    return result;
  } finally {
    load?.stop();
  }
}

const told = ({ lane, passed, failed, seconds, cpu_s }: LaneResult) =>
  `soak ${lane}: ${passed} passed, ${failed} failed, ${seconds} s, ${cpu_s} CPU-s`;

/** The lanes that CI runs, from another one on for each commit. */
async function byTurns(commits: number): Promise<LaneName[]> {
  const own = NAMES.filter((name) => !('wants' in LANES[name]));
  const first = commits % own.length;
  return [...own.slice(first), ...own.slice(0, first)];
}

/** Runs lanes by turns while their last runs fit before `deadline`, milliseconds of the epoch; one that is on then is ended. */
async function runTurns(commits: number, deadline: number): Promise<void> {
  for (const name of await byTurns(commits)) {
    const before = await readLane(name);
    if (before === undefined || Date.now() + before.seconds * 1_000 * MARGIN > deadline) continue;
    let ended = false;
    let timer: NodeJS.Timeout | undefined;
    const result = await runLane(name, (child) => {
      timer = setTimeout(() => {
        ended = true;
        child.kill('SIGTERM');
      }, deadline - Date.now());
    });
    clearTimeout(timer);
    say(ended ? `soak ${name}: ended, no time was left` : told(result));
  }
}

/** `npm run soak <lane…>` runs lanes and stores their results; without a name it lists them and what is stale. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { turns: { type: 'string' }, until: { type: 'string' } },
  });
  if (values.turns !== undefined) return runTurns(Number(values.turns), Number(values.until) * 1_000);
  const unknown = positionals.filter((name) => !NAMES.includes(name as LaneName));
  if (unknown.length > 0) throw new Error(`no such lane: ${unknown.join(', ')}; there are ${NAMES.join(', ')}`);
  if (positionals.length === 0) {
    say(`lanes: ${NAMES.join(', ')}`);
    for (const line of await staleLanes()) say(line);
  }
  for (const name of positionals as LaneName[]) {
    const result = await runLane(name, () => {});
    say(told(result));
    if (result.failed > 0) process.exitCode = 1;
  }
}

await main();
