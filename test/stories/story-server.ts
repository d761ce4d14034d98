import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TSchema, Type } from '@sinclair/typebox';
import { type Endpoint, fullPath, kernelProblems, TENANT_ROLES, type TenantRole } from '@weir/kernel/contract';
import { getMe } from '@weir/plugin-identity/contract';
import { readEvents } from '@weir/plugin-platform/contract';
import { listUiPages } from '@weir/plugin-ui/contract';
import { builtApp, pagePolicy } from '../../plugins/ui/src/built-app.ts';
import { madeUp } from './made-up.ts';

const PLUGINS = [
  ...['datasets', 'identity', 'platform', 'runs', 'schedules', 'sources', 'transform-patterns', 'transforms'],
  ...['webhooks', 'workflow-engine', 'pipelines', 'lineage', 'ontology'],
];
const CONTRACTS: object[] = await Promise.all(PLUGINS.map((plugin) => import(`@weir/plugin-${plugin}/contract`)));
const ROUTES = CONTRACTS.flatMap((contract) => Object.values(contract) as Endpoint[])
  .filter((value) => value?.access !== undefined)
  .map((endpoint) => ({ endpoint, pattern: new URLPattern({ pathname: fullPath(endpoint) }) }))
  // A fixed word is meant before a name in its place.
  .sort((a, b) => a.pattern.pathname.split(':').length - b.pattern.pathname.split(':').length);

type Values = Record<string, unknown>;
/** What an endpoint answers, from what fits its contract and from the path and query of the call. */
type Answer = (made: Values, given: Values) => unknown;
/** So many items of each list, no answer yet, or a problem. */
export type StoryState = number | 'loading' | 'failed' | 'denied';

/** The built pages over endpoints that answer what their contracts allow, and an identity provider that knows everybody. */
export async function storyServer(t: { teardown(work: () => unknown): void }) {
  const answers = new Map<string, Answer>();
  const story = {
    url: '',
    state: 0 as StoryState,
    role: 'admin' as TenantRole,
    /** Calls that the role may not make. */
    refused: [] as string[],
    /** Requests without an end, beside the event stream. */
    open: 0,
    answer: (endpoint: Endpoint, give: Answer) => void answers.set(endpoint.id, give),
  };
  const app = () => builtApp({ issuer: `${story.url}/idp`, clientId: 'weir-ui' });
  const server = createServer(async (request, response) => {
    const { pathname, searchParams, href } = new URL(request.url ?? '/', story.url);
    if (pathname === fullPath(readEvents)) return response.writeHead(200).write(':\n\n');
    if (pathname === fullPath(listUiPages)) return send(response, 200, { items: [] });
    story.open++;
    response.on('close', () => story.open--);
    const query = Object.fromEntries(searchParams);
    if (pathname.startsWith('/idp')) return signIn(response, `${story.url}/idp`, query);
    const route = ROUTES.find(({ endpoint, pattern }) => endpoint.method === request.method && pattern.test(href));
    const given = { ...query, ...route?.pattern.exec(href)?.pathname.groups };
    if (route !== undefined) return answer(route.endpoint, given, response);
    const file = await app().asset(pathname.slice('/assets/'.length));
    const headers = { 'content-type': file?.type ?? 'text/html', 'content-security-policy': pagePolicy(story.url) };
    return response.writeHead(200, headers).end(file?.body ?? (await app().page()));
  }).listen(0, '127.0.0.1');

  function answer(endpoint: Endpoint, given: Values, response: ServerResponse): unknown {
    const { access, id, status = 200, response: schema } = endpoint;
    const isWeak = access.kind === 'tenant' && TENANT_ROLES.indexOf(access.role) > TENANT_ROLES.indexOf(story.role);
    if (isWeak) story.refused.push(id);
    const state = endpoint === getMe ? 1 : story.state;
    if (state === 'loading') return response;
    if (isWeak || state === 'denied') return refuse(response, kernelProblems.forbiddenRole);
    if (state === 'failed') return refuse(response, kernelProblems.internal);
    const made = answerOf(schema ?? Type.Null(), state, given);
    return send(response, status, answers.get(id)?.(made, given) ?? made);
  }

  await once(server, 'listening');
  t.teardown(() => [server.closeAllConnections(), server.close()]);
  story.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return story;
}

/** What fits the contract: of a list the page that was asked for, and what names the call has. */
function answerOf(schema: TSchema, count: number, given: Values): Values {
  const like = (value: Values) => {
    // Of an address everything is a text.
    for (const [name, made] of Object.entries(value ?? {}))
      if (name in given) value[name] = typeof made === 'number' ? Number(given[name]) : given[name];
    return value;
  };
  const whole = like(madeUp(schema, 1) as Values);
  const item = schema.properties?.items?.items as TSchema | undefined;
  if (item === undefined) return whole;
  const begin = Number(given.page_token ?? 0);
  const end = Math.min(count, begin + Number(given.limit ?? 100));
  const most = schema.properties?.items?.maxItems ?? Number.POSITIVE_INFINITY;
  const items = Array.from({ length: Math.min(most, end - begin) }, (_, i) =>
    like(madeUp(item, begin + i + 1) as Values),
  );
  return { ...whole, items, next_page_token: end < count ? String(end) : null, total: count };
}

const send = (response: ServerResponse, status: number, body: unknown, type = 'application/json') =>
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));

function refuse(response: ServerResponse, { entry }: typeof kernelProblems.internal) {
  const problem = { ...entry, type: `/docs/errors/${entry.code}`, trace_id: '0af7651916cd43dd8448eb211c80319c' };
  return send(response, entry.status, problem, 'application/problem+json');
}

/** Discovery, and a way through for everybody. */
function signIn(response: ServerResponse, issuer: string, { redirect_uri: back, state }: Record<string, string>) {
  if (back !== undefined) return response.writeHead(302, { location: `${back}?code=1&state=${state}` }).end();
  const token = { access_token: 'made-up', token_type: 'Bearer', expires_in: 36_000 };
  return send(response, 200, { issuer, authorization_endpoint: issuer, token_endpoint: `${issuer}/token`, ...token });
}
