import type { AddressInfo } from 'node:net';
import type { Tenant } from '@weir/kernel';
import type { CallResult, Endpoint, Input, Output } from '@weir/kernel/contract';
import { type PluginUnderTest, type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import packageJson from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

export const KIND = { kind: 'test-work', workflowType: 'None', role: 'source', exclusive: false };

type Manifest = NonNullable<Parameters<typeof testPlugin>[2]['manifests']>[number];

const manifest = (id: string, tenancy: Manifest['tenancy']): Manifest => ({
  ...{ id, tenancy, kernel: '*', prefixes: [`/${id}`], packageName: `@weir/plugin-${id}`, version: '1.2.3' },
  permissions: { [`${id}:read`]: `See ${id}` },
});

const own = packageJson.weir as unknown as Manifest;

/** The plugin on a real database, beside an opt-in plugin `extra` and a plugin `base` that everybody has. */
export interface World extends PluginUnderTest {
  /** Starts a run in a transaction of its own; `inside` goes on in that transaction. */
  start(tenant: Tenant, inside?: () => Promise<void>): Promise<string>;
  /** Calls as platform admin. */
  admin<E extends Endpoint>(
    endpoint: E,
    input?: Partial<Input<E>>,
    headers?: Record<string, string>,
  ): Promise<CallResult<E>>;
  /** The base address of a real port. */
  listen(): Promise<string>;
}

/** What a call answered; throws the code of a problem. */
export function bodyOf<E extends Endpoint>(answer: CallResult<E>): Output<E> {
  if (answer.ok) return answer.body;
  throw new Error(answer.problem.code);
}

export async function world(t: Teardown, settings: Record<string, unknown> = {}): Promise<World> {
  const manifests = [
    { ...own, packageName: packageJson.name, version: packageJson.version },
    manifest('base', 'always'),
    manifest('extra', 'opt-in'),
  ];
  const under = await testPlugin(t, plugin, { tools, settings, runKinds: [KIND], manifests });
  return {
    ...under,
    async start(tenant, inside) {
      const admitted = await under.kernel.runs.admit(KIND.kind);
      const run = { kind: KIND.kind, subjectId: tenant.tenantId, requestedBy: 'test', admitted };
      return under.kernel.db(tenant).transaction(async (tx) => {
        const { run_id } = await under.kernel.runs.start(tx, run);
        await inside?.();
        return run_id;
      });
    },
    admin: (endpoint, input, headers) => under.as('acme', 'platform_admin').call(endpoint, input, headers),
    async listen() {
      await under.app.listen({ host: '127.0.0.1', port: 0 });
      return `http://127.0.0.1:${(under.app.server.address() as AddressInfo).port}`;
    },
  };
}
