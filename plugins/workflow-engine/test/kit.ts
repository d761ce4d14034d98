import {
  type Contributed,
  definePlugin,
  provide,
  type RunKind,
  type Tenant,
  type WeirPlugin,
  WorkflowEngine,
  type WorkflowEngineService,
} from '@weir/kernel';
import { type PluginUnderTest, type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { Figures, type Total } from '@weir/plugin-platform/contract';
import plugin from '../src/plugin.ts';

export const KIND: RunKind = { kind: 'note-writing', workflowType: 'NoteWorkflow', role: 'notes', exclusive: false };
export const QUEUE = 'notes-task-queue';
const SUBJECT = '018f4a6e-0000-7000-8000-000000000009';

export interface EngineUnderTest extends PluginUnderTest {
  /** What the plugin `platform` would say of the sums of all processes; undefined = it is not there. */
  totals: Total[] | undefined;
  /** Writes a pending run and starts its workflow. */
  start(tenant: Tenant): Promise<{ run_id: string; workflow_id: string }>;
}

/** The plugin on a real database, over the engine's port in memory, with a run kind of another plugin. */
export async function engineUnderTest(
  t: Teardown,
  options: { totals?: Total[]; contributes?: Contributed[] } = {},
): Promise<EngineUnderTest> {
  const { totals, contributes = [] } = options;
  const figures = {
    totals: async (name: string) => (totals ?? []).filter((total) => total.metricName.startsWith(name)),
  };
  const under: PluginUnderTest = await testPlugin(t, withGivers(plugin, contributes), {
    tools,
    runKinds: [KIND],
    services: () => [
      provide(
        WorkflowEngine,
        engineOf(() => under.workflows),
      ),
      ...(totals === undefined ? [] : [provide(Figures, figures)]),
    ],
  });
  const { runs, db } = under.kernel;
  return {
    ...under,
    totals,
    async start(tenant) {
      const admitted = await runs.admit(KIND.kind, { queue: true });
      const run = { kind: KIND.kind, subjectId: SUBJECT, requestedBy: 'ada', admitted };
      return db(tenant).transaction((tx) => runs.start(tx, run));
    },
  };
}

/** The engine of a deployment with one worker role, over the port as it is when it is asked. */
function engineOf(port: () => PluginUnderTest['workflows']): WorkflowEngineService {
  return {
    address: { host: 'secret-host', port: 1, namespace: 'memory' },
    queues: () => [{ role: 'notes', queue: QUEUE, plugin: 'notes' }],
    describe: (id) => port().describe(id),
    describeQueue: (queue) => port().describeQueue(queue),
    cancel: (id) => port().cancel(id),
    terminate: (id, reason) => port().terminate(id, reason),
    engine: () => port().engine(),
    withClient: (work) => port().withClient(work),
    health: () => port().health(),
  };
}

/** The plugin beside another one that only gives contributions. */
function withGivers({ spec }: WeirPlugin, given: readonly Contributed[]): WeirPlugin {
  return definePlugin({
    ...spec,
    setup(kernel) {
      const registration = spec.setup(kernel);
      return { ...registration, contributes: [...(registration.contributes ?? []), ...given] };
    },
  });
}

/** The body of a successful answer; the problem document as an error otherwise. */
export function ok<B>(result: { ok: true; body: B } | { ok: false; problem: unknown }): B {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.body;
}
