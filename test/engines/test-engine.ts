import { engineComment } from '../engine-uses.ts';
import { type Engine, type EngineKind, engineIn } from './engine.ts';
import { MachineUnfit } from './packages.ts';
import { startRootful } from './start-rootful.ts';
import { type OwnEngine, startRootless } from './start-rootless.ts';

/** The variables by which a test file finds the engines of its run, and the one that says why there are none. */
export const ENGINE_VARIABLES: Readonly<Record<EngineKind, string>> = {
  rootless: 'WEIR_TEST_ROOTLESS_SOCKET',
  rootful: 'WEIR_TEST_ROOTFUL_SOCKET',
};
export const NO_ENGINES_VARIABLE = 'WEIR_TEST_NO_ENGINES';

const START: Readonly<Record<EngineKind, () => Promise<OwnEngine>>> = {
  rootless: startRootless,
  rootful: startRootful,
};

interface TestLike {
  teardown(end: () => unknown): unknown;
  /** A comment in the test's TAP; who only tears down has none. */
  comment?(said: string): unknown;
}

/**
 * The engine of the test run, or one that ends with this test when no run has started one; a reason in words when this
 * machine can have none, for `{ skip }`. Others use the engine of a run at the same time: a test that ends its daemon
 * starts its own, see `ownEngine`.
 */
export async function testEngine(t: TestLike, kind: EngineKind): Promise<Engine | string> {
  const socketPath = process.env[ENGINE_VARIABLES[kind]];
  if (!socketPath) return ownEngine(t, kind);
  t.comment?.(engineComment(kind));
  return engineIn(socketPath);
}

/** An engine that this test alone uses, ended with it; or the reason why this machine can have none. */
export async function ownEngine(t: TestLike, kind: EngineKind): Promise<OwnEngine | string> {
  const engine = process.env[NO_ENGINES_VARIABLE] || (await startedEngine(kind));
  if (typeof engine !== 'string') t.teardown(engine.stop);
  t.comment?.(engineComment(kind, typeof engine === 'string' ? engine : undefined));
  return engine;
}

async function startedEngine(kind: EngineKind): Promise<OwnEngine | string> {
  try {
    return await START[kind]();
  } catch (fault) {
    if (fault instanceof MachineUnfit) return fault.message;
    throw fault;
  }
}
