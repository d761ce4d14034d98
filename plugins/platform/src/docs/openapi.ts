import type { PlatformService } from '@weir/kernel';
import {
  type Endpoint,
  fullPath,
  kernelProblems,
  mayLeaveBodyOut,
  type ProblemEntry,
  ProblemShape,
  type ProblemType,
} from '@weir/kernel/contract';
import { nameSchemas } from './named-schemas.ts';

type Json = Record<string, unknown>;
type Documented = Pick<PlatformService, 'version' | 'signIn' | 'endpoints' | 'manifests'>;

/** Who has to send the header of the tenant. */
const TENANT_WORDS = {
  optional: 'Alias of one of your organizations',
  users: 'Alias of one of your organizations; people must send it, and a client may leave it out',
};

/** What a route may answer by its shape alone, before its own errors. */
function commonProblems({ method, access, params, query, body, consumes }: Endpoint): ProblemType[] {
  const { uriTooLong, headersTooLarge, internal, rateLimited } = kernelProblems;
  const found: ProblemType[] = [uriTooLong, headersTooLarge, internal, rateLimited];
  if (access.kind !== 'public') found.push(kernelProblems.tenantBusy);
  if (access.kind !== 'public' && method !== 'GET') found.push(kernelProblems.auditUnavailable);
  const { unauthenticated, forbiddenRole, capabilityRequired, pluginDisabled } = kernelProblems;
  const { tenantHeaderRequired, tenantHeaderInvalid, tenantNotAllowed } = kernelProblems;
  if (access.kind === 'webhook') found.push(kernelProblems.signatureRequired);
  else if (access.kind !== 'public' || !access.probe) found.push(unauthenticated);
  if (access.kind === 'tenant' || access.kind === 'platform') found.push(forbiddenRole, capabilityRequired);
  if (access.kind === 'tenant') found.push(tenantHeaderRequired, tenantHeaderInvalid, tenantNotAllowed, pluginDisabled);
  if (params ?? query ?? body) found.push(kernelProblems.validationFailed);
  if (method === 'POST') found.push(kernelProblems.idempotencyKeyReused);
  const { malformedJson, unsupportedMediaType, unsupportedContentEncoding, payloadTooLarge } = kernelProblems;
  if (body) found.push(malformedJson);
  if (body ?? consumes) found.push(unsupportedMediaType, unsupportedContentEncoding, payloadTooLarge);
  return found;
}

/** The OpenAPI document of a platform as JSON text, with a name for every body. */
export function openapiText(platform: Documented): string {
  const plain = JSON.parse(JSON.stringify(openapi(platform))) as Json;
  return JSON.stringify(nameSchemas(forPublic(plain) as Json));
}

/** Members of a schema or body that hold data, in which nothing is a schema. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum']);

/** The document with its schemas as readers outside take them; `isMap` holds for the members of `properties`, by their names. */
function forPublic(node: unknown, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((one) => forPublic(one));
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(isMap ? node : plainSchema(node as Json));
  return Object.fromEntries(
    members.map(([name, one]) => {
      if (isMap) return [name, one === false ? { not: {} } : forPublic(one)];
      return [name, DATA.has(name) ? one : forPublic(one, name === 'properties')];
    }),
  );
}

/**
 * What the serializer of answers calls `nullable` is a type of its own; of two members one is said without `oneOf`. A
 * member that must be absent is said as an object, for generators of clients that read no `false`.
 */
function plainSchema(schema: Json): Json {
  const { nullable, type, oneOf, ...rest } = schema;
  if (nullable === true && typeof type === 'string') return { ...rest, type: [type, 'null'] };
  const members = Array.isArray(oneOf) ? oneOf.map((branch: Json) => branch.required) : [];
  if (members.length === 2 && members.every(Array.isArray)) {
    return { ...rest, type, anyOf: oneOf, not: bothOf(members.flat()) };
  }
  return schema;
}

const bothOf = (required: readonly string[]): Json => ({
  properties: Object.fromEntries(required.map((name) => [name, {}])),
  required,
});

/** The OpenAPI 3.1 document of a set of endpoints; the same for all tenants. Members that are undefined are none in JSON. */
function openapi({ endpoints, manifests, version, signIn }: Documented): Json {
  const { issuer, clientId, organizationClaim } = signIn;
  const paths: Record<string, Json> = {};
  // A path of OpenAPI cannot take the rest of one; what has such a path is pages.
  for (const endpoint of endpoints().filter((each) => !each.path.includes('*'))) {
    const path = fullPath(endpoint).replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weir',
      version,
      description: 'Extract, load and transform for a lakehouse, for many tenants.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of this deployment' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from' }],
    tags: tagsOf(endpoints(), manifests()),
    paths,
    components: {
      schemas: { Problem: ProblemShape },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Print a token with `weir token`, after `weir login` unless the server runs on this machine.',
          'x-sign-in': { issuer, client_id: clientId, organization_claim: organizationClaim },
        },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Weir-Signature',
          description:
            'Only for the calls that register connector patterns: a signature with the secret of the webhook.',
        },
      },
    },
  };
}

/** One tag for each plugin, described as its package is, or else by what its permissions allow. */
function tagsOf(
  endpoints: ReturnType<Documented['endpoints']>,
  manifests: ReturnType<Documented['manifests']>,
): Json[] {
  const owners = new Map(endpoints.map(({ id, plugin }) => [tagOf(id), plugin]));
  return [...owners].map(([name, plugin]) => {
    const { description, permissions = {} } = manifests.find(({ id }) => id === plugin) ?? {};
    const allowed = Object.values(permissions).map((sentence) => `${sentence}.`);
    return { name, description: description ?? (allowed.join(' ') || 'Whether the API answers, and its release.') };
  });
}

const tagOf = (id: string) => id.split('.')[0] ?? id;

function operation(endpoint: Endpoint): Json {
  const { id, summary, description, access, body, location, cli } = endpoint;
  const status = endpoint.status ?? 200;
  return {
    operationId: id,
    summary,
    description: [description, accessText(endpoint)].filter((part) => part !== undefined).join('\n\n'),
    deprecated: endpoint.deprecated === undefined ? undefined : true,
    tags: [tagOf(id)],
    parameters: parameters(endpoint),
    requestBody: (body ?? endpoint.consumes) && {
      required: !mayLeaveBodyOut(endpoint),
      content: bodyTypes(endpoint, body),
    },
    responses: {
      [status]: {
        description: answerText(endpoint),
        content: answerTypes(endpoint),
        headers: location && { Location: locationHeader(location) },
      },
      ...(endpoint.unchanged && { 200: { description: 'Nothing was made.', content: answerTypes(endpoint) } }),
      ...problemResponses([...commonProblems(endpoint), ...(endpoint.errors ?? [])]),
    },
    security: access.kind === 'public' ? [] : [{ [access.kind === 'webhook' ? 'signature' : 'bearer']: [] }],
    'x-access': access,
    'x-weir-cli': typeof cli === 'string' ? { words: cli } : cli,
  };
}

/** What a caller gets on success, which the summary does not say. */
function answerText({ method, status = 200, response, produces = [] }: Endpoint): string {
  if (status === 204) return 'It is done; the answer has no body.';
  if (status === 202) return 'It is accepted; `Location` is where to see what becomes of it.';
  if (status === 201) return 'It is made, as the body shows; `Location` is its address.';
  if (response === undefined)
    return produces.length === 0 ? 'The document.' : `The document, as ${produces.join(' or ')}.`;
  const { next_page_token: more, items } = (response.properties ?? {}) as Json;
  if (items !== undefined && more !== undefined) return 'A page; the last one has no `next_page_token`.';
  return method === 'GET' ? 'As it is now.' : 'The result.';
}

const locationHeader = (location: string): Json => ({
  schema: { type: 'string', format: 'uri-reference' },
  description: `\`/api/v1${location.replace(/:(\w+)/g, '{$1}')}\`, filled in`,
});

/** Who may call it, and by which command. */
function accessText({ access, cli }: Endpoint): string {
  const command = typeof cli === 'string' ? cli : cli?.words;
  const needs = {
    public: () => 'Needs no token.',
    known: () => 'Needs a valid token.',
    webhook: () => 'Needs a signature.',
    tenant: (role: string, name: string) => `Needs the role \`${role}\` in the tenant (\`${name}\`).`,
    platform: (role: string, name: string) => `Needs the role \`${role}\` (\`${name}\`).`,
  }[access.kind];
  const who = 'role' in access ? needs(access.role, access.permission) : needs('', '');
  return command === undefined ? who : `${who} Command: \`weir ${command}\`.`;
}

function bodyTypes({ declarative, consumes, example }: Endpoint, schema: unknown): Json {
  if (consumes !== undefined) return { [consumes]: { schema: { type: 'string', format: 'binary' } } };
  const body = { schema, example };
  return { 'application/json': body, ...(declarative ? { 'application/yaml': body } : {}) };
}

function answerTypes({ response, produces }: Endpoint): Json | undefined {
  if (response === undefined && produces === undefined) return undefined;
  const content: Json = Object.fromEntries((produces ?? []).map((type) => [type, {}]));
  return response === undefined ? content : { ...content, 'application/json': { schema: response } };
}

function parameters({ params, query, access, method }: Endpoint): Json[] {
  const header = (name: string, required: boolean, description: string): Json => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  });
  return [
    ...schemaParameters(params, 'path'),
    ...schemaParameters(query, 'query'),
    ...(access.kind === 'tenant' ? [header('X-Tenant-ID', false, TENANT_WORDS[access.tenantHeader])] : []),
    ...(method === 'POST'
      ? [header('Idempotency-Key', false, 'A repeat with the same key gets the first answer')]
      : []),
    ...(method === 'PATCH' || method === 'DELETE' || method === 'PUT'
      ? [header('If-Match', false, 'The etag that the change is meant for')]
      : []),
  ];
}

function schemaParameters(schema: unknown, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    description,
    schema: property,
  }));
}

function problemResponses(types: readonly ProblemType[]): Json {
  const byStatus = new Map<number, ProblemEntry[]>();
  for (const { entry } of types) {
    const entries = byStatus.get(entry.status) ?? [];
    if (!entries.some((other) => other.code === entry.code)) entries.push(entry);
    byStatus.set(entry.status, entries);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, entries]) => [
      status,
      {
        description: entries.map((entry) => `\`${entry.code}\`: ${entry.detail}`).join('\n\n'),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}
