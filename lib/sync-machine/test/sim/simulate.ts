import { ALL_FENCES, type Fences } from '../../src/index.ts';
import { startAttempt } from './attempt.ts';
import { chanceOf } from './chance.ts';
import { checker } from './check.ts';
import type { SimWorld } from './commit-operations.ts';
import { processesOf } from './processes.ts';
import { rowsAt, type Scenario, scenarioOf } from './scenario.ts';
import { headOf, newWorld, nextId, tableOf } from './world.ts';

/** What a simulated world came to. */
export interface Simulation {
  readonly seed: number;
  readonly violation: string | undefined;
  readonly steps: number;
  readonly coverage: ReadonlyMap<string, number>;
}

/** After so many attempts nothing goes wrong any more, so that every run must come to its end. */
const FAULTY_ATTEMPTS = 6;
const MAX_ATTEMPTS = 40;
const MAX_STEPS = 20_000;

/** Lives through the world of a seed, step by step, until everything has ended or a promise is broken. */
export function simulate(seed: number, fences: Fences = ALL_FENCES): Simulation {
  const scenario = scenarioOf(seed);
  const world: SimWorld = newWorld(scenario.streams);
  const chance = chanceOf(seed * 2);
  const processes = processesOf(chance, scenario.rates);
  const check = checker(scenario, world);
  const { rates } = scenario;
  let [attempts, number, steps] = [0, 0, 0];
  let owner: string | undefined;
  let isCalm = false;
  let violation: string | undefined;

  const runIs = (): string => `r${number}`;
  const begin = (): void => {
    attempts += 1;
    if (attempts > FAULTY_ATTEMPTS * scenario.runs && !isCalm) {
      isCalm = true;
      processes.calm();
    }
    const run = world.runs.get(runIs()) ?? { epoch: 0, isOpen: true, hasSucceeded: false };
    processes.take(runIs());
    run.epoch += 1;
    world.runs.set(runIs(), run);
    const { epoch } = run;
    const own = `${runIs()}#${epoch}`;
    owner = own;
    const sourceFaults = isCalm ? 0 : rates.source;
    const onEnd = (outcome: 'succeeded' | 'retry' | 'failed'): void => {
      if (owner !== own) return;
      owner = undefined;
      if (outcome === 'retry') return;
      run.isOpen = false;
      run.hasSucceeded = outcome === 'succeeded';
      if (run.hasSucceeded) violation ??= unfinished(scenario, world, number);
      number += 1;
    };
    const onBroken = (what: string): void => {
      violation ??= what;
    };
    const deps = { scenario, world, chance, processes, fences, sourceFaults, onBroken, onEnd };
    startAttempt({ ...deps, run: { id: runIs(), number: Math.min(number, scenario.runs - 1) }, epoch });
  };

  while (violation === undefined && steps < MAX_STEPS) {
    steps += 1;
    if (owner === undefined) {
      if (number >= scenario.runs) break;
      if (attempts >= MAX_ATTEMPTS) {
        violation = `run ${runIs()} does not come to its end`;
        break;
      }
      begin();
    } else if (!isCalm && chance.happens(rates.crash)) {
      processes.crash(owner);
      owner = undefined;
    } else if (!isCalm && chance.happens(rates.zombie)) {
      // The attempt goes on, though nobody waits for it any more; its run may even be given up.
      owner = undefined;
      const run = world.runs.get(runIs());
      if (run !== undefined && number < scenario.runs - 1 && chance.happens(0.4)) {
        processes.take(runIs());
        run.isOpen = false;
        number += 1;
      }
    } else if (!isCalm && chance.happens(rates.foreign)) {
      appendForeign(world, chance.pick(scenario.streams).id);
    } else if (!processes.advance()) {
      violation = `nothing is left to be done, and ${owner} has not ended`;
    }
    violation ??= check();
  }
  while (violation === undefined && processes.advance()) violation = check();
  if (steps === MAX_STEPS) violation ??= 'no end after so many steps';
  return { seed, violation, steps, coverage: processes.coverage };
}

/** Whether a run that has succeeded has left something out. */
function unfinished(scenario: Scenario, world: SimWorld, number: number): string | undefined {
  for (const stream of scenario.streams) {
    const { id, tellsStates, sizes } = stream;
    const size = sizes[number] ?? 0;
    const state = rowsAt(scenario, stream, world.checkpoints.get(id)?.state ?? 0);
    if (tellsStates && state !== size) return `r${number} has succeeded, and ${id} stands at ${state} of ${size}`;
  }
  return undefined;
}

/** Another engine appends a row. */
function appendForeign(world: SimWorld, name: string): void {
  const table = tableOf(world, name);
  const head = headOf(table);
  const id = nextId(world);
  const [file, location] = [`${name}/data/foreign/${id}`, `${name}/metadata/${id}`];
  const row = {
    id: -id,
    key: -id,
    deletes: false,
    isBad: false,
    hasNew: false,
    file: '',
    run: 'foreign',
    hasColumn: true,
  };
  world.files.set(file, { kind: 'rows', rows: [row] });
  world.files.set(location, { kind: 'metadata', rows: [] });
  world.kept.add(location);
  world.foreign.set(name, [...(world.foreign.get(name) ?? []), file]);
  const own = { id: String(id), parent: head?.id ?? null, commitId: undefined, stream: undefined };
  const snapshot = { ...own, attempt: 0, added: [file], live: [...(head?.live ?? []), file] };
  world.tables.set(name, { location, snapshots: [...table.snapshots, snapshot] });
}
