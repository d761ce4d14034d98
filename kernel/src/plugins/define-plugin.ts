import type { Static, TObject } from '@sinclair/typebox';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { ProblemEntry, ProblemType } from '../contract/problem.ts';
import type { ServiceToken } from '../contract/service.ts';
import type { Contributed } from '../contributions/contributions.ts';
import type { Duty } from '../duties/duty.ts';
import { type AnyRoute, type RouteDeps, registerRoutes } from '../http/handle.ts';
import type { AnyEntity } from '../persistence/tenant-db.ts';
import type { RunKind } from '../runs/runs.ts';
import type { Kernel } from './kernel.ts';

/** A service and what carries it out; made by `provide`. */
export interface Provided {
  id: string;
  implementation: unknown;
}

/** What `setup` answers: everything the plugin brings, compared with its manifest before anything listens. */
export interface Registration {
  routes: AnyRoute[];
  services?: Provided[];
  runKinds?: RunKind[];
  contributes?: Contributed[];
  /** Work for each tenant that no call waits for. */
  duties?: readonly Duty[];
  /** Codes of failed runs that this deployment's own parts report: each has a page, behind the codes of plugins. */
  reported?: readonly ProblemEntry[];
  /** After all plugins are set up and before listening; `stop` runs in reverse order. */
  start?(): Promise<void>;
  stop?(): Promise<void>;
  /** In the API process only: before it listens, and when it begins to stop: answers that never end must end then. */
  serve?(): Promise<void>;
  drain?(): Promise<void>;
}

/** The static record of a plugin and its one function. */
export interface PluginSpec<S extends TObject = TObject> {
  id: string;
  /** Environment variables the plugin reads: name to schema. */
  settings?: S;
  /** Tables of the plugin; every one has `tenantId`. */
  entities?: readonly AnyEntity[];
  /** The plugin's own error codes. */
  problems?: Readonly<Record<string, ProblemType>>;
  /** Hooks on the plugin's own encapsulated scope; they never see another plugin's requests. */
  scope?(app: FastifyInstance): void;
  setup(kernel: Kernel<Static<S>>): Registration;
}

/** What the API process gives a plugin's Fastify scope. */
export interface PluginOptions {
  registration: Registration;
  deps: RouteDeps;
}

/** A Fastify plugin, encapsulated, that carries its spec. */
export type WeirPlugin = FastifyPluginAsync<PluginOptions> & { readonly spec: PluginSpec };

/** Makes a plugin of its spec: a real Fastify plugin whose hooks and decorators stay inside it. */
export function definePlugin<S extends TObject>(spec: PluginSpec<S>): WeirPlugin {
  const register: FastifyPluginAsync<PluginOptions> = async (app, { registration, deps }) => {
    spec.scope?.(app);
    app.addHook('onReady', async () => registration.serve?.());
    app.addHook('preClose', async () => registration.drain?.());
    registerRoutes(app, registration.routes, { ...deps, plugin: spec.id });
  };
  const wrapped = fastifyPlugin(register, { name: spec.id, fastify: '5.x', encapsulate: true });
  return Object.assign(wrapped, { spec: spec as unknown as PluginSpec });
}

/** Binds a service token to its implementation; a mismatch of types is a compile error. */
export function provide<T>(token: ServiceToken<T>, implementation: T): Provided {
  return { id: token.id, implementation };
}
