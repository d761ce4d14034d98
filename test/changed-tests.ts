import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { readImports } from './read-imports.ts';

/** More files than this are more than a quick look: then the changed packages' own tests and the smoke files run. */
const MOST = 80;
/** One end-to-end file for each part of the product. */
const SMOKE: readonly string[] = [
  'test/test/walls.test.ts',
  'test/test/conformance.test.ts',
  'kernel/test/http.test.ts',
  'plugins/sources/test/sync.test.ts',
  'lakehouse/test/transaction.test.ts',
  'cli/test/output.test.ts',
];
const PLUGINS = /^plugins\/[^/]+\/src\/(plugin|worker)\.ts$/;
const CONNECTORS = /^connectors\/[^/]+\/src\/main\.ts$/;
const SYNC_CHILD = /^plugins\/sources\/src\/sync\/child\.ts$/;

/** Programs that a module starts by their path, which no import shows: the module, and what it starts. */
const STARTED: readonly (readonly [RegExp, readonly RegExp[]])[] = [
  [/^kernel\/src\/main\.ts$/, [PLUGINS]],
  [/^workers\/src\/main\.ts$/, [PLUGINS, SYNC_CHILD, CONNECTORS]],
  [/^test\/(platform|shared-platform)\.ts$/, [PLUGINS, CONNECTORS]],
  [/^test\/api-process\.ts$/, [/^kernel\/src\/main\.ts$/]],
  [
    /^(test\/worker-process|workers\/test\/slow-deployment|plugins\/sources\/test\/platform)\.ts$/,
    [/^workers\/src\/main\.ts$/],
  ],
  [/^plugins\/sources\/test\/platform\.ts$/, [PLUGINS]],
  [/^(test\/docs\/dev-platform|cli\/test\/dev-once\.test)\.ts$/, [/^(cli|kernel|workers|embedded)\/src\/main\.ts$/]],
  [/^connectors\/[^/]+\/test\/kit\.ts$/, [CONNECTORS]],
  [/^connectors\/runtime\/test\/.*\.ts$/, [/^connectors\/runtime\/src\/testing-connector\.ts$/]],
  [/^migrations\/test\/migrate\.test\.ts$/, [/^migrations\/src\/main\.ts$/]],
];

/** Which modules each module imports or starts, as paths from the root. */
export type Reach = ReadonlyMap<string, readonly string[]>;

/** Adds to imports what modules start as programs. */
export function withStarted(imports: Reach): Reach {
  const modules = [...imports.keys()];
  const started = (module: string) =>
    STARTED.filter(([starter]) => starter.test(module)).flatMap(([, programs]) =>
      modules.filter((one) => programs.some((program) => program.test(one))),
    );
  return new Map([...imports].map(([module, imported]) => [module, [...imported, ...started(module)]]));
}

const packageOf = (file: string): string => /^((?:connectors|lib|plugins)\/[^/]+|[^/]+)\//.exec(file)?.[1] ?? file;

/**
 * The tests that a change may reach: those that import or start a changed module, however far, and all tests of a package
 * in which something else than a module changed.
 */
export function reachedTests(reach: Reach, changed: readonly string[], tests: readonly string[]): string[] {
  const importers = new Map<string, string[]>();
  for (const [module, imported] of reach)
    for (const one of imported) importers.set(one, [...(importers.get(one) ?? []), module]);
  const reached = new Set<string>();
  const visit = (module: string) => {
    if (reached.has(module)) return;
    reached.add(module);
    for (const importer of importers.get(module) ?? []) visit(importer);
  };
  for (const file of changed) visit(file);
  const others = new Set(changed.filter((file) => !reach.has(file) && !/\.md$/.test(file)).map(packageOf));
  return tests.filter((test) => reached.has(test) || others.has(packageOf(test)));
}

/** Files that differ from `base` in the work tree, new ones included. Throws when git does not know `base`. */
async function changedFiles(root: string, base: string): Promise<string[]> {
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: root });
  const lists = await Promise.all([
    git('diff', '--name-only', '--no-renames', base, '--'),
    git('ls-files', '--others', '--exclude-standard'),
  ]);
  return lists.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean));
}

/** The tests of `all` to run for what changed since `base`. */
export async function changedTests(
  root: string,
  base: string,
  all: readonly string[],
  say: (line: string) => void,
): Promise<string[]> {
  const changed = await changedFiles(root, base);
  const reach = withStarted(await readImports(root));
  const reached = reachedTests(reach, changed, all);
  say(`  ${changed.length} changed files reach ${reached.length} of ${all.length} test files`);
  if (reached.length <= MOST) return reached;
  const packages = new Set(changed.map(packageOf));
  const near = all.filter((test) => packages.has(packageOf(test)) || SMOKE.includes(test) || changed.includes(test));
  say(`  more than ${MOST}: ${near.length} run, the changed packages' own and the smoke files; npm test runs all`);
  return near.map((file) => path.normalize(file));
}
