import { testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import t, { type Test } from 'tap';
import { apiProcess } from '../api-process.ts';
import { contentTypes } from '../corpora/content-types.ts';
import type { HostileDocument } from '../corpora/hostile-document.ts';
import { hostileJson } from '../corpora/hostile-json.ts';
import { hostileYaml } from '../corpora/hostile-yaml.ts';
import { apiOf, giveOptIn } from '../examples.ts';
import { inLane } from '../lane.ts';
import { platformEnvironment } from '../platform.ts';
import { type RawAnswer, rawRequest } from '../raw-request.ts';

const LEAST = 60;
const CANARY = 'zz-canary-7f3a';
/** The body was read and judged, or nothing is there that would read it. */
const VALIDATED = ['validation_failed', 'feature_not_configured'];
/** Closed by the mode of this deployment, whatever their bodies are. */
const CLOSED = '/api/v1/sources/{source_id}/credentials';
const UNREAD = ['unsupported_media_type', 'malformed_request'];
const SOME_ID = '018f4a6e-0000-7000-8000-00000000dead';

/** A route that reads a body. */
interface WriteRoute {
  method: string;
  path: string;
  yaml: boolean;
  /** Its body is bytes, of which nothing is parsed. */
  bytes: boolean;
  /** Nothing is made of its body before the signature is good. */
  signed: boolean;
  /** Whoever may call it: people, or services alone. */
  caller: readonly string[];
}

interface Operation {
  requestBody?: { content: Record<string, unknown> };
  security: Record<string, unknown>[];
  'x-access': { callers?: 'services' };
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}

const issuer = await testIssuer(t);
const database = await testDatabase(t, tools);
await database.tenant('acme');
const REPORTER = 'reporter';
const services = { [REPORTER]: { tenants: ['acme'], capabilities: ['run:callback'] } };
const environment = {
  ...platformEnvironment({ database, issuer, folder: t.testdir({ warehouse: {} }) }),
  WEIR_SERVICE_PRINCIPALS: JSON.stringify(services),
};
const api = await apiProcess(t, environment);
const token = await issuer.userToken({ organizations: ['acme'], roles: ['admin', 'platform_admin'] });
await giveOptIn(apiOf({ url: api.url, token, tenant: 'acme' }), 'acme');
const callerBy = (bearer: string) => [`Authorization: Bearer ${bearer}`, 'X-Tenant-ID: acme'];
const [person, service] = [callerBy(token), callerBy(await issuer.serviceToken(REPORTER))];
const catalogue = new Set((await (await fetch(new URL('/docs/errors', api.url))).text()).match(/[a-z_]+/g) ?? []);

async function writeRoutes(): Promise<WriteRoute[]> {
  const { paths } = (await (await fetch(new URL('/openapi.json', api.url))).json()) as OpenApi;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody, security, 'x-access': access }]) => {
      if (requestBody === undefined) return [];
      const signed = security.some((one) => 'signature' in one);
      const caller = access.callers === 'services' ? service : person;
      const yaml = 'application/yaml' in requestBody.content;
      const bytes = 'application/octet-stream' in requestBody.content;
      return [{ method: method.toUpperCase(), path, yaml, bytes, signed, caller }];
    }),
  );
}

function send(
  { method, path, caller }: WriteRoute,
  types: readonly string[],
  body: string | Buffer,
): Promise<RawAnswer> {
  const url = new URL(path.replace(/\{\w+\}/g, SOME_ID), api.url);
  return rawRequest(
    url,
    method,
    [...caller, ...types.map((type) => `Content-Type: ${type}`)],
    Buffer.from(body as string),
  );
}

const codeOf = ({ text }: RawAnswer): string => /"code":"(\w+)"/.exec(text)?.[1] ?? 'none';

/** How many routes share the cases outside the lane. */
const SHARES = 12;

/** A spelling of each way to read a body: every route gets them. */
const ONE_OF_EACH = [...Map.groupBy(contentTypes, ({ reading }) => reading).values()].flatMap(([first]) => first ?? []);

/** The cases for one of many routes: the first has all of them, each other its share by turns. The lane gives all to all. */
function casesOf<T>(cases: readonly T[], route: number): readonly T[] {
  if (route === 0 || inLane('matrix-all')) return cases;
  return cases.filter((_, at) => at % SHARES === route % SHARES);
}

/** One route for each way in which a body reaches a parser: method, and whether YAML is read too. */
const kinds = (from: readonly WriteRoute[]): WriteRoute[] =>
  [...Map.groupBy(from, ({ method, yaml }) => `${method} ${yaml}`).values()].flatMap(([first]) => first ?? []);

async function refusesAll(t: Test, routes: WriteRoute[], type: string, documents: readonly HostileDocument[]) {
  t.ok(routes.length > 0 && documents.length >= LEAST, `${documents.length} documents to ${routes.length} routes`);
  for (const [at, route] of routes.entries()) {
    for (const { what, body, codes } of casesOf(documents, at)) {
      const answer = await send(route, [type], body(CANARY));
      const name = `${route.method} ${route.path}: ${what}`;
      if (!codes.includes(codeOf(answer)) || answer.status < 400 || answer.status > 499)
        t.fail(`${name} answers ${answer.status} ${codeOf(answer)}, not ${codes}`);
      if (answer.text.includes(CANARY.slice(0, 9))) t.fail(`${name} is echoed`);
    }
  }
  t.comment(`the event loop was never blocked longer than ${(await api.loopDelay()).toFixed(0)} ms`);
  t.equal((await fetch(new URL('/health', api.url))).status, 200, 'the API is well');
}

const all = await writeRoutes();
const isClosed = ({ path }: WriteRoute) => path.startsWith(CLOSED);
const routes = all.filter((route) => !route.signed && !route.bytes && !isClosed(route));
await api.loopDelay();

t.test('every hostile JSON document is refused by its code, without an echo', async (t) => {
  await refusesAll(t, kinds(routes), 'application/json', hostileJson);
  await refusesAll(t, kinds(routes).slice(0, 1), 'application/merge-patch+json', hostileJson);
});

t.test('every hostile YAML document is refused by its code, without an echo', async (t) => {
  await refusesAll(t, kinds(routes.filter(({ yaml }) => yaml)), 'application/yaml', hostileYaml);
});

t.test('whatever the spelling of the content type, every route validates the body or refuses it', async (t) => {
  t.ok(
    contentTypes.length >= LEAST && routes.length > 0,
    `${contentTypes.length} spellings to ${routes.length} routes`,
  );
  for (const [at, route] of routes.entries()) {
    for (const { lines, reading } of new Set([...ONE_OF_EACH, ...casesOf(contentTypes, at)])) {
      const answer = await send(route, lines, JSON.stringify({ [CANARY]: true }));
      const read = reading === 'json' || (reading === 'yaml' && route.yaml);
      const wanted = read ? VALIDATED : UNREAD;
      const name = `${route.method} ${route.path} with ${JSON.stringify(lines)}`;
      if (!wanted.includes(codeOf(answer))) t.fail(`${name} answers ${answer.status} ${codeOf(answer)}, not ${wanted}`);
      if (answer.text.includes(CANARY)) t.fail(`${name} is echoed`);
    }
  }
});

t.test('a route that the mode of the deployment closes makes nothing of a body', async (t) => {
  const closed = all.filter(isClosed);
  t.ok(closed.length > 0);
  for (const [at, route] of closed.entries()) {
    for (const { lines } of new Set([...ONE_OF_EACH, ...casesOf(contentTypes, at + 1)])) {
      const answer = await send(route, lines, JSON.stringify({ [CANARY]: true }));
      const name = `${route.method} ${route.path} with ${JSON.stringify(lines)}`;
      t.ok(['credential_mode_unsupported', 'malformed_request'].includes(codeOf(answer)), `${name}: ${codeOf(answer)}`);
      t.notOk(answer.text.includes(CANARY), name);
    }
  }
});

t.test('a route that takes signed requests makes nothing of a body without a signature', async (t) => {
  const signed = all.filter((route) => route.signed);
  t.ok(signed.length > 0);
  for (const route of signed) {
    for (const { lines } of contentTypes) {
      const answer = await send(route, lines, JSON.stringify({ [CANARY]: true }));
      t.ok(
        ['signature_required', 'malformed_request'].includes(codeOf(answer)),
        `${route.path} with ${JSON.stringify(lines)}`,
      );
      t.notOk(answer.text.includes(CANARY));
    }
  }
});

t.test('each code that answers is in the catalogue', async (t) => {
  const codes = new Set([...hostileJson, ...hostileYaml].flatMap((document) => document.codes));
  for (const code of codes) t.ok(catalogue.has(code), code);
});

t.test('a route that takes bytes, whatever the type and without its query → refused without an echo', async (t) => {
  for (const route of all.filter(({ bytes }) => bytes)) {
    for (const { lines } of contentTypes) {
      const answer = await send(route, lines, JSON.stringify({ [CANARY]: true }));
      const name = `${route.path} with ${JSON.stringify(lines)}`;
      t.ok([...VALIDATED, ...UNREAD].includes(codeOf(answer)), `${name}: ${codeOf(answer)}`);
      t.notOk(answer.text.includes(CANARY), name);
    }
  }
});
