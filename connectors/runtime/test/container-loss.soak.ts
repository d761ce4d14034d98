import { containerRuntime } from '@weir/connector-runtime';
import { testRun } from '@weir/connector-runtime/testing';
import t from 'tap';
import { ownEngine } from '../../../test/engines/index.ts';
import { HASTY_MS } from '../../../test/until.ts';
import { habit, imageMaker } from './container-kit.ts';

const engine = await ownEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  const { socketPath, workspaceRoot, daemon } = engine;
  const image = await (await imageMaker(engine))('weir-test/waits:1', [habit('stops-on-request')]);
  const options = { socketPath, workspaceRoot, role: 'source', mode: 'development' } as const;
  // An engine on a busy machine takes its time to tell of an end that it has seen.
  const runtime = containerRuntime({ ...options, waivers: ['rootful'], lostAfterMs: 100 * HASTY_MS });
  const started = async (isRead: boolean) => {
    const connector = await runtime.run(testRun(image, { inputs: { config: '{"secret":"x"}' } }));
    await new Promise<void>((resolve) => connector.stdout.once('readable', () => resolve()));
    if (isRead) connector.stdout.resume();
    return connector;
  };

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    t.test(`an engine that goes away by ${signal} is a lost run, never an end that counts`, async (t) => {
      const both = [await started(true), await started(false)];
      await daemon.stop(signal);
      for (const connector of both) t.match(await connector.exit, { code: undefined, failure: 'runtime_lost' });
      await t.rejects(runtime.run(testRun(image)), { code: 'connector_runtime_unavailable' });
      await daemon.start();
      t.match(await runtime.reap(async () => false), { workspaces: 0 });
      const next = await started(true);
      t.match(
        await next.stop(),
        { code: 143, stopped: true },
        'the same runtime goes on with the engine that is there now',
      );
    });
  }
}
