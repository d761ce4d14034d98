import { type CallResult, call, type Endpoint, fullPath, type Input, type Output } from '@weir/kernel/contract';
import { listTenantPlugins, setTenantPlugin } from '@weir/plugin-platform/contract';
import type { HeldFile } from './fuzz/held-file.ts';

/** A caller of one tenant. */
export interface Caller {
  url: string;
  token: string;
  tenant: string;
}

export type Api = <E extends Endpoint>(endpoint: E, input?: Partial<Input<E>>) => Promise<Output<E>>;

/** Ids of one tenant's things, by the name that path parameters give them. */
export type Ids = Readonly<Record<string, string>>;

/** A tenant to be furnished; its caller is an admin. */
export interface Tenancy extends Caller {
  api: Api;
  /** Whether the platform keeps credentials in a secret store. */
  isVaulted: boolean;
}

/** A call that succeeds, or gets as far as the ids of its path. */
export interface ExampleCall {
  of: Endpoint;
  /** Ids that the call may spoil, by path parameter. */
  params?: Readonly<Record<string, string | readonly string[]>>;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  /** Why a fuzzer gets no 2xx from it, and its status if that is a 5xx. */
  unreached?: { why: string; status?: number };
}

/** What a fuzzer needs beside the ids of `furnish`. */
export interface Seeding extends Tenancy {
  /** The result of `furnish` and `seedInline` of all plugins. */
  ids: Ids;
  /** A file that a source can go on reading without an end. */
  held: HeldFile;
  /** Starts a run that ends only when it is cancelled. */
  running(): Promise<{ run_id: string; workflow_id: string }>;
}

/**
 * The door `./examples` of a plugin: what the access matrix, the fuzzer and the calls of the API reference need to reach
 * its routes.
 */
export interface Examples {
  /** Values of path parameters that mean the same to every tenant. */
  shared?: Ids;
  /** Makes one of everything that paths of the plugin name. */
  furnish?(tenancy: Tenancy): Promise<Ids>;
  /** Parameters that at some routes take the furnished id of another name. */
  meant?: readonly { of: readonly Endpoint[]; name: string; as: string }[];
  /** Well-formed ids of nothing, made from an own id, where that is no UUID. */
  absent?: Readonly<Record<string, (own: string) => string>>;
  calls?: readonly ExampleCall[];
  /** Routes that the specification does not name, with the reason. */
  own?: readonly { of: Endpoint; why: string }[];
  /** Calls for a fuzzer, which may spoil what they name, and further ids for its reads. */
  seed?(seeding: Seeding): Promise<{ calls: readonly ExampleCall[]; more?: Readonly<Record<string, string[]>> }>;
  /** Makes what needs a platform without a secret store, before it gets one. */
  seedInline?(api: Api): Promise<Ids>;
  running?(api: Api, held: HeldFile): Promise<{ run_id: string; workflow_id: string }>;
}

/** An id of nothing. */
export const ABSENT = '018f4a6e-0000-7000-8000-00000000dead';

/** Things that a fuzzer may delete, one a call. */
export const VICTIMS = 10;

/** An example whose body is checked against its endpoint. */
export function example<E extends Endpoint>(
  of: E,
  given: Omit<ExampleCall, 'of' | 'body'> & { body: Input<E>['body'] },
): ExampleCall {
  return { of, ...given };
}

/** `METHOD /path/{id}`, as the OpenAPI document names an endpoint. */
export const labelOf = (of: Endpoint): string => `${of.method} ${fullPath(of).replace(/:(\w+)/g, '{$1}')}`;

/** Calls as the caller; a refusal throws. */
export function apiOf(caller: Caller): Api {
  return async (endpoint, input = {}) => bodyOf(endpoint, await call(endpoint, input, caller));
}

function bodyOf<E extends Endpoint>(endpoint: E, result: CallResult<E>): Output<E> {
  if (!result.ok) throw new Error(`${endpoint.id} answers ${result.problem.code}`);
  return result.body;
}

/** Gives a tenant every opt-in plugin, as a platform admin. */
export async function giveOptIn(api: Api, alias: string): Promise<void> {
  const { items } = await api(listTenantPlugins, { params: { alias } });
  for (const { plugin_id } of items.filter(({ tenancy }) => tenancy === 'opt-in'))
    await api(setTenantPlugin, { params: { alias, plugin_id }, body: { enabled: true } });
}

/** Makes so many things one after the other: on a busy machine no call waits for long. */
export async function inTurn<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let at = 0; at < count; at += 1) made.push(await make(at));
  return made;
}
