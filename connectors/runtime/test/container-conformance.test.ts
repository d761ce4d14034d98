import { containerRuntime } from '@weir/connector-runtime';
import { HABITS, type Habit, runtimeConformance } from '@weir/connector-runtime/testing';
import t from 'tap';
import { askEngine, testEngine } from '../../../test/engines/index.ts';
import { filesBelow, habit, imageMaker, ownWorkspace } from './container-kit.ts';

const image = (name: Habit) => `weir-test/${name}:1`;

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  const make = await imageMaker(engine);
  for (const name of HABITS) await make(image(name), [habit(name), 'USER 65534:65534']);
  const { socketPath, registry } = engine;
  const workspaceRoot = await ownWorkspace(t, engine);
  const waivers = ['rootful'] as const;
  const runtime = containerRuntime({ socketPath, workspaceRoot, role: 'source', mode: 'development', waivers });
  const unknown = { image: `${registry}/weir/nobody:1`, code: 'connector_image_missing' } as const;
  const leftInputs = () => filesBelow(workspaceRoot);
  const hasLeft = async (execution: string) => {
    const filters = JSON.stringify({ label: [`weir.execution=${execution}`] });
    const path = `/containers/json?all=1&${new URLSearchParams({ filters })}`;
    return JSON.parse((await askEngine(engine.socketPath, { path })).text).length > 0;
  };
  const harness = { runtime, image, unknown, leftInputs, hasLeft };
  for (const { name, run } of runtimeConformance(harness)) t.test(name, run);
}
