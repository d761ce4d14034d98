import type { TSchema } from '@sinclair/typebox';
import type { Endpoint, Method } from '@weir/kernel/contract';
import type { CliCommand } from '../command/cli-of.ts';
import { plainText } from '../plain-text.ts';

type Json = Record<string, unknown>;

const API = '/api/v1';
const MAX_DEPTH = 8;
const WORDS = /^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*){1,3}$/;
const PATH = /^\/[\w{}/.-]*$/;
const METHODS: Readonly<Record<string, Method>> = {
  ...{ get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' },
};

/** The endpoints with words of a command in an OpenAPI document; what is not well-formed is left out. */
export function endpointsOfOpenApi(document: unknown): Endpoint[] {
  const { paths, components } = recordOf(document);
  const found: Endpoint[] = [];
  for (const [path, operations] of Object.entries(recordOf(paths))) {
    for (const [method, operation] of Object.entries(recordOf(operations))) {
      const verb = METHODS[method];
      const cli = cliOfOperation(recordOf(operation)['x-weir-cli']);
      if (verb === undefined || cli === undefined || !PATH.test(path)) continue;
      const plain = deref(operation, recordOf(recordOf(components).schemas), 0) as Json;
      found.push(endpointOf(verb, path, plain, cli));
    }
  }
  return found;
}

const recordOf = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

function cliOfOperation(value: unknown): CliCommand | undefined {
  const { words, columns, flags, confirm } = recordOf(value);
  if (typeof words !== 'string' || !WORDS.test(words)) return undefined;
  const named = Object.entries(recordOf(flags)).filter(([, flag]) => /^[a-z][a-z0-9-]*$/.test(String(flag)));
  return {
    words,
    ...(Array.isArray(columns) ? { columns: textsOf(columns) } : {}),
    ...(named.length === 0 ? {} : { flags: Object.fromEntries(named) as Record<string, string> }),
    ...(typeof confirm === 'string' ? { confirm: plainText(confirm) } : {}),
  };
}

/** A copy with the shapes in the place of references to them, as deep as flags and columns need. */
function deref(value: unknown, schemas: Json, depth: number): unknown {
  if (typeof value === 'string') return plainText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one) => deref(one, schemas, depth));
  const { $ref: ref } = value as { $ref?: unknown };
  if (typeof ref === 'string') {
    const shape = schemas[ref.replace('#/components/schemas/', '')];
    return depth >= MAX_DEPTH || shape === undefined ? {} : deref(shape, schemas, depth + 1);
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, deref(one, schemas, depth)]));
}

function endpointOf(method: Method, path: string, operation: Json, cli: CliCommand): Endpoint {
  const [status, answer] = Object.entries(recordOf(operation.responses)).find(([code]) => /^2\d\d$/.test(code)) ?? [];
  const body = jsonOf(operation.requestBody);
  const response = jsonOf(answer);
  const query = queryOf(operation.parameters);
  const isApi = path.startsWith(`${API}/`);
  return {
    ...{ id: String(operation.operationId), method, access: operation['x-access'] as Endpoint['access'], cli },
    ...{ path: (isApi ? path.slice(API.length) : path).replace(/\{(\w+)\}/g, ':$1'), mount: isApi ? 'api' : 'root' },
    ...{ summary: String(operation.summary ?? cli.words), status: Number(status ?? 200) as 200 },
    ...(typeof operation.description === 'string' ? { description: operation.description } : {}),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    ...(response === undefined ? {} : { response }),
  };
}

function jsonOf(part: unknown): TSchema | undefined {
  const { schema } = recordOf(recordOf(recordOf(part).content)['application/json']);
  return schema === undefined ? undefined : (schema as TSchema);
}

function queryOf(parameters: unknown): TSchema | undefined {
  const own = (Array.isArray(parameters) ? parameters : []).map(recordOf).filter((one) => one.in === 'query');
  if (own.length === 0) return undefined;
  const required = own.filter((one) => one.required === true).map((one) => String(one.name));
  const properties = Object.fromEntries(
    own.map(({ name, description, schema }) => [String(name), { description, ...recordOf(schema) }]),
  );
  return { type: 'object', properties, required } as unknown as TSchema;
}
