import { provide } from '@weir/kernel';
import type { CallResult, Endpoint, Input, Output } from '@weir/kernel/contract';
import { kernelProblems } from '@weir/kernel/contract';
import { type PluginUnderTest, type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { Samples } from '@weir/plugin-datasets/contract';
import plugin from '../src/plugin.ts';

const absent = async (): Promise<never> => {
  throw kernelProblems.notFound();
};

/** The plugin alone on a real database, with real tokens, where nobody has a dataset. */
export function world(t: Teardown, settings: Record<string, unknown> = {}): Promise<PluginUnderTest> {
  const services = () => [provide(Samples, { describe: absent, ask: absent })];
  return testPlugin(t, plugin, { tools, services, settings: { WEIR_TOKEN_MAKER_DAYS: 30, ...settings } });
}

/** What a call answered; throws the code of a problem. */
export function bodyOf<E extends Endpoint>(answer: CallResult<E>): Output<E> {
  if (answer.ok) return answer.body;
  throw new Error(`${answer.status} ${answer.problem.code} ${JSON.stringify(answer.problem)}`);
}

/** Calls with an API token in place of a person's. */
export async function withToken<E extends Endpoint>(
  { app }: PluginUnderTest,
  token: string,
  endpoint: E,
  input: Partial<Input<E>> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { params = {}, body } = input as unknown as { params?: Record<string, string>; body?: object };
  const url = `/api/v1${endpoint.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')}`;
  const answer = await app.inject({
    method: endpoint.method,
    url,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, body: answer.body === '' ? {} : answer.json() };
}
