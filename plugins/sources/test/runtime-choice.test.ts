import { Refusal } from '@weir/kernel';
import t from 'tap';
import { chosenRuntime } from '../src/model/runtime/chosen-runtime.ts';
import { runtimeChoice } from '../src/model/runtime/runtime-choice.ts';
import { isOwnImage } from '../src/service/pattern/load-patterns.ts';
import { connectorEnvironment, type Settings } from '../src/settings.ts';

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
    t.same(runtimeChoice(given, 'source', 'production'), { ...container, waivers: ['limits'] });
    t.same(runtimeChoice(given, 'discovery', 'development'), { kind: 'process' });
    t.throws(() => chosenRuntime({ kind: 'process' }, parts), { code });
    t.throws(() => chosenRuntime(runtimeChoice(given, 'source', 'production'), parts), {
      code,
      reason: 'waivers_outside_development',
    });
    const discovery = settings({ DISCOVERY_SOCKET_DIR: '/d', WEIR_DISCOVERY_WORKSPACE_DIR: '/w' });
    t.match(runtimeChoice(discovery, 'discovery', 'production'), {
      role: 'discovery',
      socketPath: '/d/docker.sock',
      workspaceRoot: '/w',
    });
  },
);

t.test('the bounds of local folders → set for processes, with the work folder refused', async (t) => {
  const network = { WEIR_EGRESS_ALLOW: '10.0.0.0/8', WEIR_EGRESS_PORTS: '' };
  const given = settings({ ...network, WEIR_FILES_ROOTS: '/data', WEIR_FILES_REFUSED: '/data/own' });
  t.strictSame(connectorEnvironment(given, { kind: 'process', isOwnImage: true }, '/work'), {
    ...network,
    WEIR_FILES_ROOTS: '/data',
    WEIR_FILES_REFUSED: '/data/own:/work',
  });
  t.strictSame(connectorEnvironment(given, { kind: 'container', isOwnImage: true }, '/work'), network);
});

t.test('an image of others → no networks and ports of the operator', async (t) => {
  const given = settings({ WEIR_EGRESS_ALLOW: '10.0.0.0/8', WEIR_EGRESS_PORTS: '8080' });
  t.strictSame(connectorEnvironment(given, { kind: 'container', isOwnImage: false }, '/work'), {});
  const installed = { 'weir/connector-files': { command: [] } };
  const digest = `sha256:${'a'.repeat(64)}`;
  const own = [
    'weir/connector-files:1.7.0',
    `weir/connector-files@${digest}`,
    'registry.test:5000/weir/connector-files:1',
  ];
  for (const image of own) t.ok(isOwnImage(image, installed), image);
  const foreign = ['other/weir/connector-files', 'weir/connector-files-x:1', 'airbyte/source-faker:7', 'constructor'];
  for (const image of foreign) t.notOk(isOwnImage(image, installed), image);
});

t.test('a start without what keeps connectors in is refused by name, in staging as in production', async (t) => {
  const faultOf = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      if (error instanceof Refusal) return error.faults[0];
      throw error;
    }
    return undefined;
  };
  for (const mode of ['staging', 'production'] as const) {
    t.match(
      faultOf(() => runtimeChoice(settings({}), 'source', mode)),
      /^SOURCE_SOCKET_DIR /,
    );
    t.match(
      faultOf(() => runtimeChoice(settings({}), 'discovery', mode)),
      /^DISCOVERY_SOCKET_DIR /,
    );
  }
  t.match(
    faultOf(() => runtimeChoice(settings({ SOURCE_SOCKET_DIR: '/engine' }), 'source', 'development')),
    /^WEIR_SOURCE_WORKSPACE_DIR /,
  );
});

t.test('an engine that is not there is no reason to turn to processes', async (t) => {
  const choice = runtimeChoice(
    settings({ SOURCE_SOCKET_DIR: '/no', WEIR_SOURCE_WORKSPACE_DIR: '/work' }),
    'source',
    'development',
  );
  const runtime = chosenRuntime(choice, { ...parts, mode: 'development', connectors: { x: { command: ['x'] } } });
  const labels = { tenant: 't', source: 's', execution: 'e', attempt: '1' };
  await t.rejects(runtime.run({ image: 'x', role: 'source', labels, verb: 'spec' }), {
    code,
    reason: 'engine_socket_missing',
  });
});
