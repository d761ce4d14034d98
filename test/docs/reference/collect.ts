import { type TSchema, Type } from '@sinclair/typebox';
import type { Endpoint, ProblemEntry } from '@weir/kernel/contract';
import { EXIT_CODES } from '../../../cli/src/exit-codes.ts';
import { queueSettings } from '../../../kernel/src/boot/plan-platform.ts';
import { kernelSettings } from '../../../kernel/src/config/kernel-settings.ts';
import { capacityPrefix, capacitySchema } from '../../../workers/src/process/capacity.ts';
import type { TestPlatform } from '../../platform.ts';
import { type CommandPage, commandPages } from './commands.ts';

export type { CommandPage };

/** A route with the plugin that brings it. */
export interface OwnedEndpoint {
  plugin: string;
  endpoint: Endpoint;
}

/** An error code with who declares it. */
export interface OwnedProblem {
  owner: string;
  entry: ProblemEntry;
}

/** The members of an object schema. */
export interface Properties {
  properties: Record<string, TSchema>;
  required: string[];
}

/** Everything that the reference tells, as the booted platform and the commands have it. */
export interface Reference {
  /** Plugin ids in the order of `platform.json`, the kernel first. */
  plugins: { id: string; packageName: string; tenancy: string; permissions: Record<string, string> }[];
  endpoints: OwnedEndpoint[];
  problems: OwnedProblem[];
  /** Settings schemas by owner: the kernel and each plugin. */
  settings: (Properties & { owner: string })[];
  /** The settings of one role of workers. */
  capacity(role: string): Properties;
  /** Names of object schemas that a contract exports, by their JSON text. */
  shapes: Map<string, string>;
  commands: CommandPage[];
  exitCodes: { code: number; meaning: string }[];
  /** Roles of workers with the plugin that brings each. */
  roles: { role: string; plugin: string }[];
  /** The OpenAPI document: what each operation may answer, shared codes included. */
  openapi: OpenApi;
}

/** As much of the OpenAPI document as the reference reads. */
export interface OpenApi {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, { description: string }> }>>;
}

/** Fewer properties than this are told in place. */
const NAMED_FROM = 3;

/** Reads a booted platform; nothing in the answer depends on the machine or on the time. */
export async function collectReference({ api, platform }: Pick<TestPlatform, 'api' | 'platform'>): Promise<Reference> {
  const { plugins } = platform;
  const endpoints = api.app.declaredRoutes.map(({ endpoint, plugin }) => ({ plugin, endpoint }));
  // A code that more than one declares is from the one that the others require, which is set up first.
  const owners = new Map(
    plugins
      .toReversed()
      .flatMap(({ manifest, plugin }) =>
        Object.values(plugin.spec.problems ?? {}).map(({ entry }) => [entry.code, manifest.id] as const),
      ),
  );
  // What connectors report has a page of the reference to itself.
  const reported = new Set(plugins.flatMap(({ registration }) => registration.reported ?? []));
  const shapes = new Map<string, string>();
  for (const { manifest } of plugins) await nameShapes(`${manifest.packageName}/contract`, shapes);
  await nameShapes('@weir/kernel/contract', shapes);
  const document = await fetch(new URL('/openapi.json', api.url));
  return {
    plugins: plugins.map(({ manifest: { id, packageName, tenancy, permissions = {} } }) => ({
      ...{ id, packageName, tenancy, permissions },
    })),
    endpoints,
    problems: [...platform.problems.values()]
      .filter((entry) => !reported.has(entry))
      .map((entry) => ({ owner: owners.get(entry.code) ?? 'kernel', entry }))
      .sort((a, b) => (a.entry.code < b.entry.code ? -1 : 1)),
    settings: [
      { owner: 'kernel', ...propertiesOf(kernelSettings) },
      ...plugins.map(({ manifest, plugin }) => ({ owner: manifest.id, ...propertiesOf(plugin.spec.settings) })),
    ],
    capacity: (role) => propertiesOf(roleSchema(role)),
    shapes,
    commands: commandPages(),
    exitCodes: Object.values(EXIT_CODES),
    roles: plugins.flatMap(({ manifest }) =>
      (manifest.workers ?? []).map(({ role }) => ({ role, plugin: manifest.id })),
    ),
    openapi: (await document.json()) as OpenApi,
  };
}

/** What a worker of a role reads beside the settings of all. */
const roleSchema = (role: string) => Type.Composite([capacitySchema(capacityPrefix(role)), queueSettings(role).schema]);

/** The members of an object schema; none of a schema that is absent or no object. */
export function propertiesOf(schema: TSchema | undefined): Properties {
  return { properties: schema?.properties ?? {}, required: schema?.required ?? [] };
}

/** Notes the object schemas that a contract door exports; the first name of a shape stays. */
async function nameShapes(door: string, shapes: Map<string, string>): Promise<void> {
  for (const [name, value] of Object.entries((await import(door)) as Record<string, TSchema | undefined>)) {
    if (typeof value !== 'object' || value === null || value.type !== 'object') continue;
    if (Object.keys(value.properties ?? {}).length < NAMED_FROM) continue;
    const text = JSON.stringify(value);
    if (!shapes.has(text)) shapes.set(text, name);
  }
}
