import type { CallResult, Endpoint, Input, Output } from '@weir/kernel/contract';
import { keyFile } from '../../../test/key-file.ts';
import { type TestPlatform, testPlatform } from '../../../test/platform.ts';
import { API_VERSION, dryRunDocuments, type PlanView } from '../src/contract.ts';

interface Test {
  teardown(work: () => unknown): void;
  testdir(): string;
}

type Docs = Input<typeof dryRunDocuments>['body']['docs'];
type Call = <E extends Endpoint>(endpoint: E, input?: Partial<Input<E>>) => Promise<CallResult<E>>;

export interface World extends TestPlatform {
  as(alias: string, role?: string): Promise<Call>;
  /** The plan of documents. */
  plan(call: Call, docs: Docs, more?: object): Promise<PlanView>;
}

/** The whole platform, with webhooks to addresses that nothing listens at. */
export async function world(t: Test, more: Record<string, string> = {}): Promise<World> {
  const folder = t.testdir();
  const platform = await testPlatform(t, folder, {
    WEIR_CREDENTIAL_KEY_FILE: keyFile(folder),
    WEIR_EGRESS_ALLOW: '127.0.0.0/8',
    WEIR_EGRESS_PORTS: '9',
    ...more,
  });
  return {
    ...platform,
    as: async (tenant, role = 'admin') => {
      const who = { token: await platform.token(tenant, role), tenant };
      return (endpoint, input) => platform.call(who, endpoint, input);
    },
    plan: async (call, docs, options = {}) => bodyOf(await call(dryRunDocuments, { body: { docs, ...options } })),
  };
}

/** What a call answered; throws the code of a problem. */
export function bodyOf<E extends Endpoint>(answer: CallResult<E>): Output<E> {
  if (answer.ok) return answer.body;
  throw new Error(`${answer.status} ${answer.problem.code} ${JSON.stringify(answer.problem)}`);
}

export const doc = (kind: string, name: string, spec: object) => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name },
  spec,
});

export const URL = 'http://127.0.0.1:9/hook';
export const hook = (name: string, more: object = {}) =>
  doc('Webhook', name, { url: URL, events: ['run.failed'], ...more });

const FORBID =
  'forbid (principal, action == Action::"sources.delete_source", resource) when { principal.kind == "api_token" };';
export const policy = (name: string, more: object = {}) =>
  doc('IdentityPolicy', name, { kind: 'access', document: { cedar: FORBID }, ...more });
