import type { Machine } from '../../src/index.ts';
import type { Chance } from './chance.ts';
import type { Scenario } from './scenario.ts';

/** Something that a process has asked of the world. */
export interface Operation {
  readonly name: string;
  /** Changes the world and tells the process; called once, at any later time, or never. */
  readonly apply: () => () => void;
  /** It only reads, or belongs to the process alone: what was given up does not happen later. */
  readonly isRead: boolean;
  /** What it locks to its end: whoever wants the same waits for it, be its process gone or not. */
  readonly lock: string | undefined;
  /** Tells the process that there was no answer; undefined for what cannot be lost on its way. */
  readonly lose: (() => void) | undefined;
  /** Tells the process that it was refused. */
  readonly refuse: (() => void) | undefined;
}

interface Waiting {
  readonly owner: string;
  readonly run: () => void;
}

/** Something on its way that nobody waits for any more. */
interface Ghost {
  readonly lock: string | undefined;
  readonly run: () => void;
}

/** The processes of a world: what they have asked for is done at any later time, in any order, or is lost. */
export interface Processes {
  /** Runs a machine for an owner; what is asked of it goes on after its owner has crashed only as far as it is on its way. */
  spawn<S, E, F>(options: Spawn<S, E, F>): { send(event: E): void };
  /** Has something done at a later time, unless its owner has crashed by then. */
  later(owner: string, work: () => void): void;
  /** Does one thing that waits; false when nothing does. */
  advance(): boolean;
  /** Waits until nobody holds the lock any more. */
  take(lock: string): void;
  /** Drops everything of an owner but what is on its way already. */
  crash(owner: string): void;
  /** From now on nothing goes wrong any more. */
  calm(): void;
  /** Counts something that was reached. */
  count(what: string): void;
  /** States and effects that were reached, with how often. */
  readonly coverage: Map<string, number>;
}

export interface Spawn<S, E, F> {
  owner: string;
  name: string;
  machine: Machine<S, E, F>;
  perform(effect: F, answer: (event: E) => void): Operation | undefined;
  onEnd(state: S): void;
}

export function processesOf(chance: Chance, rates: Scenario['rates']): Processes {
  let waiting: Waiting[] = [];
  let ghosts: Ghost[] = [];
  let isCalm = false;
  const crashed = new Set<string>();
  const coverage = new Map<string, number>();
  const count = (what: string): void => void coverage.set(what, (coverage.get(what) ?? 0) + 1);
  const fault = (rate: number): boolean => !isCalm && chance.happens(rate);

  const take = (lock: string): void => {
    const held = ghosts.filter((ghost) => ghost.lock === lock);
    ghosts = ghosts.filter((ghost) => ghost.lock !== lock);
    for (const { run } of held) if (chance.happens(0.7)) run();
  };

  /** Decides what becomes of an operation that is about to reach the world. */
  const reach = (owner: string, operation: Operation): void => {
    const { name, apply, lose, refuse, lock, isRead } = operation;
    if (lock !== undefined) take(lock);
    if (refuse !== undefined && fault(rates.refused)) {
      count(`${name} refused`);
      refuse();
      return;
    }
    if (lose !== undefined && fault(rates.lostBefore)) {
      count(`${name} lost`);
      lose();
      return;
    }
    if (lose !== undefined && !isRead && fault(rates.late)) {
      count(`${name} late`);
      ghosts.push({ lock, run: () => void apply() });
      lose();
      return;
    }
    const tell = apply();
    count(name);
    if (lose !== undefined && fault(rates.lostAfter)) {
      count(`${name} applied, answer lost`);
      lose();
      return;
    }
    if (fault(rates.slow)) waiting.push({ owner, run: tell });
    else tell();
  };

  return {
    coverage,
    count,
    take,
    spawn({ owner, name, machine, perform, onEnd }) {
      let state = machine.initial;
      const send = (event: Parameters<typeof machine.step>[1]): void => {
        if (crashed.has(owner) || machine.hasEnded(state)) return;
        const step = machine.step(state, event);
        state = step.state;
        count(`${name} ${labelOf(state)}`);
        for (const effect of step.effects) {
          const operation = perform(effect, send);
          if (operation !== undefined) waiting.push({ owner, run: () => reach(owner, operation) });
        }
        if (machine.hasEnded(state)) onEnd(state);
      };
      return { send };
    },
    later(owner, work) {
      const run = () => {
        if (!crashed.has(owner)) work();
      };
      waiting.push({ owner, run });
    },
    advance() {
      if (ghosts.length > 0 && (isCalm || chance.happens(rates.arrives))) {
        const at = chance.below(ghosts.length);
        ghosts.splice(at, 1)[0]?.run();
        return true;
      }
      if (waiting.length === 0) return ghosts.length > 0;
      const at = chance.below(waiting.length);
      waiting.splice(at, 1)[0]?.run();
      return true;
    },
    crash(owner) {
      count('crash');
      crashed.add(owner);
      const dying = waiting.filter((one) => one.owner === owner);
      waiting = waiting.filter((one) => one.owner !== owner);
      // What was sent may still arrive; nobody hears the answer.
      for (const { run } of dying) if (chance.happens(0.5)) ghosts.push({ lock: undefined, run });
    },
    calm() {
      isCalm = true;
      for (const { run } of ghosts.splice(0)) run();
    },
  };
}

function labelOf(state: unknown): string {
  const { phase, result, task, failed, isDone } = state as Record<string, { outcome?: string; kind?: string } | string>;
  if (typeof phase === 'string') return phase === 'ended' ? `ended ${(result as { outcome: string }).outcome}` : phase;
  if (failed !== undefined) return 'failed';
  return isDone ? 'done' : ((task as { kind: string } | undefined)?.kind ?? 'idle');
}
