import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { LedgerMismatch } from './ledger-mismatch.ts';
import type { Migration } from './migration.ts';
import type { PluginMigrations } from './plugin-migrations.ts';

/**
 * The lists of the third-party plugins that a deployment's `platform.json` names, in its order. A plugin whose manifest
 * names steps that `core` does not hold is a third party's, and brings all of them through its door `./migrations`.
 * Throws `LedgerMismatch` when a plugin is not installed, or the door brings another list than the manifest declares.
 */
export async function readPluginMigrations(
  platformFile: string,
  core: readonly Migration[],
): Promise<PluginMigrations[]> {
  const { plugins = [] } = readJson(platformFile, 'platform.json') as { plugins?: string[] };
  const known = new Set(core.map((step) => step.name));
  const found: PluginMigrations[] = [];
  for (const packageName of plugins) {
    const { id, migrations: declared = [] } = readManifest(packageName, platformFile);
    if (declared.every((name) => known.has(name))) continue;
    const migrations = await importList(packageName, platformFile);
    const brought = migrations.map((step) => step.name);
    if (brought.join() !== declared.join()) {
      throw new LedgerMismatch(
        `plugin ${id} declares the migrations ${declared.join(', ')} but ./migrations brings ${brought.join(', ')}`,
      );
    }
    found.push({ pluginId: id, migrations });
  }
  return found;
}

function readManifest(packageName: string, platformFile: string): { id: string; migrations?: string[] } {
  const file = findFile(() => findPackageJSON(packageName, pathToFileURL(platformFile)));
  if (file === undefined) {
    throw new LedgerMismatch(`plugin ${packageName} is named in platform.json but not installed`);
  }
  const { weir } = readJson(file, packageName) as { weir?: { id?: string; migrations?: string[] } };
  return { ...weir, id: weir?.id ?? packageName };
}

async function importList(packageName: string, platformFile: string): Promise<readonly Migration[]> {
  const door = findFile(() => createRequire(platformFile).resolve(`${packageName}/migrations`));
  const { migrations } = (door === undefined ? {} : await import(pathToFileURL(door).href)) as {
    migrations?: readonly Migration[];
  };
  if (!Array.isArray(migrations)) {
    throw new LedgerMismatch(`plugin ${packageName} declares migrations but has no door ./migrations that brings them`);
  }
  return migrations;
}

function findFile(look: () => string | undefined): string | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function readJson(file: string, what: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new LedgerMismatch(`${what} cannot be read as JSON (${(cause as Error).name})`);
  }
}
