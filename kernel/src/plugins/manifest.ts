import { readFileSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Static, Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { Refusal } from '../config/refusal.ts';
import { Closed } from '../contract/shapes.ts';

/** What is compiled here is our own, and is a schema. */
const OWN_SCHEMA = { allErrors: true, validateSchema: false } as const;
const PluginId = Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$' });
const ServiceId = Type.String({ pattern: '^[a-z][a-z0-9-]*\\.[a-z][a-z0-9-]*@[0-9]+$' });

/** The `weir` member of a plugin's package.json: everything that can be known without running the plugin. */
export const manifestSchema = Closed({
  id: PluginId,
  kernel: Type.String({ description: 'Semver range of kernel versions' }),
  tenancy: Type.Union([Type.Literal('always'), Type.Literal('opt-in')]),
  prefixes: Type.Array(Type.String({ pattern: '^/([a-z][a-z0-9-]*(\\.json)?)?$' })),
  provides: Type.Optional(Type.Array(ServiceId)),
  requires: Type.Optional(Type.Array(ServiceId)),
  optional: Type.Optional(Type.Array(ServiceId)),
  contributes: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z][a-z-]*\\.[a-z][a-z-]*$' }))),
  permissions: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z-]*:[a-z][a-z-]*$' }), Type.String(), {
      additionalProperties: false,
    }),
  ),
  workers: Type.Optional(
    Type.Array(
      Closed({
        role: Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$' }),
        entry: Type.String({ pattern: '^\\./[a-z0-9./-]+$', description: 'A door of the package, such as ./worker' }),
      }),
    ),
  ),
  migrations: Type.Optional(Type.Array(Type.String())),
});

export type Manifest = Static<typeof manifestSchema> & {
  packageName: string;
  version: string;
  /** What the plugin is for, in a sentence. */
  description?: string;
};

const folders = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));
/** `platform.json`: which plugins load, where migrations are, and folders that plugins read. */
export const platformSchema = Closed({
  plugins: Type.Array(Type.String(), { minItems: 1 }),
  migrations: Type.String({ description: 'Package that exports the linear migration list' }),
  patterns: folders('Folders of connector patterns, relative to this file'),
  transforms: folders('Folders of transform packages, relative to this file'),
});

export interface Platform extends Static<typeof platformSchema> {
  /** The file itself; packages are resolved from here. */
  file: string;
}

/** Reads the deployment manifest; a fault refuses the start. */
export function readPlatform(file: string): Platform {
  const platform = readJson(file, `platform file ${file}`);
  const validate = new Ajv(OWN_SCHEMA).compile<Static<typeof platformSchema>>(platformSchema);
  if (!validate(platform)) throw new Refusal('platform refused', faultsOf('platform.json', validate.errors));
  return { ...platform, file };
}

/** Reads each plugin's manifest from its package.json, without running any plugin; all faults together. */
export function readManifests(platform: Platform): Manifest[] {
  const validate = new Ajv(OWN_SCHEMA).compile<Static<typeof manifestSchema>>(manifestSchema);
  const faults: string[] = [];
  const manifests = platform.plugins.flatMap((packageName) => {
    const file = packageFile(packageName, platform.file);
    if (file === undefined) {
      faults.push(`plugin ${packageName} is named in platform.json but not installed`);
      return [];
    }
    const { version, description, weir } = readJson(file, packageName) as Record<'version' | 'description', string> & {
      weir?: unknown;
    };
    if (!validate(weir)) {
      faults.push(...faultsOf(packageName, validate.errors));
      return [];
    }
    faults.push(...secondKernel(weir.id, file, platform.file));
    return [{ ...weir, packageName, version: String(version), description }];
  });
  if (faults.length > 0) throw new Refusal('plugins refused', faults);
  return manifests;
}

function packageFile(packageName: string, from: string): string | undefined {
  try {
    return findPackageJSON(packageName, pathToFileURL(from));
  } catch {
    return undefined;
  }
}

/**
 * A plugin must find the kernel that runs: with a copy of its own, classes, problems and entities would be two of each.
 * Paths are told as seen from the deployment's folder.
 */
function secondKernel(id: string, pluginFile: string, platformFile: string): string[] {
  const found = packageFile('@weir/kernel', realpathSync(pluginFile));
  const running = realpathSync(fileURLToPath(new URL('../..', import.meta.url)));
  const other = found === undefined ? running : realpathSync(dirname(found));
  if (other === running) return [];
  const [theirs, ours] = [other, running].map((folder) => relative(realpathSync(dirname(platformFile)), folder));
  return [
    `plugin ${id} finds a second @weir/kernel in ${theirs}, the one that runs is ${ours}: name it in peerDependencies, not in dependencies, and install again`,
  ];
}

function readJson(file: string, what: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Refusal('platform refused', [`${what} cannot be read as JSON (${(cause as Error).name})`]);
  }
}

function faultsOf(
  owner: string,
  errors: readonly { instancePath: string; keyword: string; message?: string }[] | null | undefined,
) {
  return (errors ?? []).map(
    (error) => `${owner}: manifest ${error.instancePath || '/'} ${error.message ?? error.keyword}`,
  );
}
