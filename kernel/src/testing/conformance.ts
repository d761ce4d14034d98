import type { TSchema } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import semver from 'semver';
import packageJson from '../../package.json' with { type: 'json' };
import { type Endpoint, pathNames } from '../contract/endpoint.ts';
import type { ProblemType } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';
import { runProblems } from '../contract/run-problems.ts';
import type { Registration, WeirPlugin } from '../plugins/define-plugin.ts';
import { type Manifest, manifestSchema } from '../plugins/manifest.ts';
import { differences } from '../plugins/setup-plugins.ts';

/** The part of a tap test that the suite needs. */
export interface Suite {
  test(name: string, body: (t: { strictSame(found: unknown, wanted: unknown): unknown }) => unknown): unknown;
}

/** A plugin as it would be deployed: the `weir` member of its package.json, its code, and what `setup` answered. */
export interface DeployedPlugin {
  manifest: Omit<Manifest, 'packageName' | 'version' | 'description'>;
  plugin: WeirPlugin;
  registration: Registration;
  /** Manifests of the plugins that are deployed with it, whose roles may carry out its runs. */
  beside?: readonly Manifest[];
}

interface Rule {
  rule: string;
  faults(deployed: DeployedPlugin): string[];
}

/** Runs the published rules for plugins, one test each; a failure lists everything that breaks its rule. */
export function conformance(t: Suite, deployed: DeployedPlugin): void {
  for (const { rule, faults } of RULES) {
    t.test(`${deployed.manifest.id}: ${rule}`, async (t) => t.strictSame(faults(deployed), []));
  }
}

const RULES: readonly Rule[] = [
  {
    rule: 'the manifest fits its schema, and this kernel its range',
    faults({ manifest }) {
      const validate = new Ajv({ allErrors: true }).compile(manifestSchema);
      const fits = validate(manifest) ? [] : (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message}`);
      const { version } = packageJson;
      return semver.satisfies(version, manifest.kernel) ? fits : [...fits, `${manifest.kernel} excludes ${version}`];
    },
  },
  {
    rule: 'it brings what its manifest declares, and nothing else',
    faults({ manifest, plugin, registration, beside = [] }) {
      const own = { ...manifest, packageName: manifest.id, version: '' };
      return differences(own, plugin, registration, [own, ...beside]);
    },
  },
  {
    rule: 'every permission is described, and some endpoint asks for it',
    faults({ manifest, registration }) {
      const asked = new Set(endpointsOf(registration).map(({ access }) => 'permission' in access && access.permission));
      return Object.entries(manifest.permissions ?? {}).flatMap(([name, description]) => [
        ...(description.trim() === '' ? [`${name} has no description`] : []),
        ...(asked.has(name) ? [] : [`${name} is asked for by no endpoint`]),
      ]);
    },
  },
  {
    rule: 'every endpoint has an id in the name of the plugin, a summary, and a schema for each place of its path',
    faults({ manifest, registration }) {
      const prefix = `${manifest.id.replaceAll('-', '_')}.`;
      return endpointsOf(registration).flatMap(({ id, path, params, summary }) => {
        const missing = pathNames(path).filter((name) => !(name in ((params as Shape | undefined)?.properties ?? {})));
        return [
          ...(id.startsWith(prefix) ? [] : [`${id} does not begin with ${prefix}`]),
          ...(summary.trim() === '' ? [`${id} has no summary`] : []),
          ...missing.map((name) => `${id} has no schema for :${name}`),
        ];
      });
    },
  },
  {
    rule: 'every request body is closed, at every depth',
    faults: ({ registration }) =>
      endpointsOf(registration).flatMap(({ id, body }) =>
        openPlaces(body).map((place) => `${id}: body${place} is open`),
      ),
  },
  {
    rule: 'every schema of an endpoint can be compiled',
    faults({ registration }) {
      const ajv = addFormats.default(new Ajv());
      return endpointsOf(registration).flatMap(({ id, params, query, body, response }) =>
        Object.entries({ params, query, body, response }).flatMap(([part, schema]) => {
          try {
            if (schema !== undefined) ajv.compile(schema);
            return [];
          } catch (error) {
            return [`${id}: ${part} cannot be compiled: ${(error as Error).message}`];
          }
        }),
      );
    },
  },
  {
    rule: 'every error has a code, a page and a next step',
    faults({ plugin, registration }) {
      const own = Object.values(plugin.spec.problems ?? {});
      const known = new Set<ProblemType>([...own, ...Object.values(kernelProblems), ...Object.values(runProblems)]);
      const undocumented = endpointsOf(registration).flatMap(({ id, errors = [] }) =>
        errors
          .filter((error) => !known.has(error))
          .map(({ entry }) => `${id} answers ${entry.code}, which has no page`),
      );
      const unclear = own.flatMap(({ entry }) => [
        ...(/^[a-z][a-z0-9_]{0,63}$/.test(entry.code) ? [] : [`${entry.code} is not lower snake case`]),
        ...(entry.title && entry.detail && entry.hint ? [] : [`${entry.code} lacks a title, a detail or a hint`]),
      ]);
      return [...undocumented, ...unclear];
    },
  },
  {
    rule: 'every row belongs to a tenant',
    faults: ({ plugin }) =>
      ((plugin.spec.entities ?? []) as { meta?: { className?: string; properties?: object } }[]).flatMap(({ meta }) =>
        'tenantId' in (meta?.properties ?? {}) ? [] : [`${meta?.className ?? 'an entity'} has no tenantId`],
      ),
  },
];

function endpointsOf({ routes }: Registration): Endpoint[] {
  return routes.map(({ endpoint }) => endpoint);
}

type Shape = TSchema & { properties?: Record<string, TSchema>; items?: TSchema; anyOf?: TSchema[]; allOf?: TSchema[] };

/** JSON pointers of the objects in a schema that name their members and take others too. */
function openPlaces(schema: TSchema | undefined, at = ''): string[] {
  if (schema === undefined) return [];
  const { properties, items, anyOf = [], allOf = [], additionalProperties } = schema as Shape;
  return [
    ...(properties !== undefined && additionalProperties !== false ? [at] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, inner]) => openPlaces(inner, `${at}/${name}`)),
    ...openPlaces(items, `${at}/items`),
    ...[...anyOf, ...allOf].flatMap((inner) => openPlaces(inner, at)),
  ];
}
