import t from 'tap';
import { chosenRuntime, runtimeChoice } from '../src/runtime/runtime-choice.ts';
import type { Settings } from '../src/settings.ts';

const settings = (more: Partial<Settings>) => ({ WEIR_ENGINE_WAIVERS: '', ...more }) as Settings;
const parts = { mode: 'production', environment: {}, connectors: {}, workDir: '/nowhere' } as const;
const code = 'connector_runtime_unavailable';

t.test(
  'each role has the engine that it was given, and without one connectors are processes of a development alone',
  async (t) => {
    const given = settings({
      SOURCE_SOCKET_DIR: '/engine',
      WEIR_SOURCE_WORKSPACE_DIR: '/work',
      WEIR_ENGINE_WAIVERS: 'limits',
    });
    const container = { kind: 'container', role: 'source', socketPath: '/engine/docker.sock', workspaceRoot: '/work' };
    t.same(runtimeChoice(given, 'source'), { ...container, waivers: ['limits'] });
    t.same(runtimeChoice(given, 'discovery'), { kind: 'process' });
    t.throws(() => chosenRuntime({ kind: 'process' }, parts), { code });
    t.throws(() => chosenRuntime(runtimeChoice(given, 'source'), parts), { code, reason: 'waivers_in_production' });
    const discovery = settings({ DISCOVERY_SOCKET_DIR: '/d', WEIR_DISCOVERY_WORKSPACE_DIR: '/w' });
    t.match(runtimeChoice(discovery, 'discovery'), {
      role: 'discovery',
      socketPath: '/d/docker.sock',
      workspaceRoot: '/w',
    });
    t.throws(() => runtimeChoice(settings({ SOURCE_SOCKET_DIR: '/engine' }), 'source'), {
      code,
      reason: 'workspace_missing',
    });
  },
);

t.test('an engine that is not there is no reason to turn to processes', async (t) => {
  const choice = runtimeChoice(settings({ SOURCE_SOCKET_DIR: '/no', WEIR_SOURCE_WORKSPACE_DIR: '/work' }), 'source');
  const runtime = chosenRuntime(choice, { ...parts, mode: 'development', connectors: { x: { command: ['x'] } } });
  const labels = { tenant: 't', source: 's', execution: 'e', attempt: '1' };
  await t.rejects(runtime.run({ image: 'x', role: 'source', labels, verb: 'spec' }), {
    code,
    reason: 'engine_socket_missing',
  });
});
