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
}

/**
 * The engine of the test run, or one that ends with this test when no run has started one; a reason in words when this
 * machine can have none, for `{ skip }`. Others use the engine of a run at the same time: a test that ends its daemon
 * starts its own, see `ownEngine`.
 */
export async function testEngine(t: TestLike, kind: EngineKind): Promise<Engine | string> {
  const socketPath = process.env[ENGINE_VARIABLES[kind]];
  return socketPath ? engineIn(socketPath) : ownEngine(t, kind);
}

/** An engine that this test alone uses, ended with it; or the reason why this machine can have none. */
export async function ownEngine(t: TestLike, kind: EngineKind): Promise<OwnEngine | string> {
  const reason = process.env[NO_ENGINES_VARIABLE];
  if (reason) return reason;
  try {
    const engine = await START[kind]();
    t.teardown(engine.stop);
    return engine;
  } catch (fault) {
    if (fault instanceof MachineUnfit) return fault.message;
    throw fault;
  }
}
