import type { Logger } from 'pino';
import { accessFault } from '../auth/authorize.ts';
import { Refusal } from '../config/refusal.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { ProblemEntry, ProblemType } from '../contract/problem.ts';
import type { ServiceToken } from '../contract/service.ts';
import type { Contributions } from '../contributions/contributions.ts';
import { readiness } from '../contributions/readiness.ts';
import type { Provided, Registration, WeirPlugin } from './define-plugin.ts';
import type { Kernel, Mode } from './kernel.ts';
import type { Manifest } from './manifest.ts';

/** A plugin that has been set up: its manifest, its code, what it was given and what it brought. */
export interface LoadedPlugin {
  manifest: Manifest;
  plugin: WeirPlugin;
  kernel: Kernel;
  registration: Registration;
}

/** What every plugin's kernel shares; `settings`, `log` and `use` differ per plugin. */
export interface SharedPorts extends Pick<Kernel, 'db' | 'runs' | 'tenants' | 'metrics' | 'vault' | 'span'> {
  mode: Mode;
  log: Logger;
  /** Filled here. */
  contributions: Contributions;
  /** Services of the kernel itself. */
  services: readonly Provided[];
}

/**
 * Runs each plugin's `setup` in plan order and compares what it brought with what its manifest declares. A plugin
 * reaches only the services that its manifest names. Throws one `Refusal` with every difference found.
 */
export function setupPlugins(
  planned: readonly { manifest: Manifest; plugin: WeirPlugin }[],
  { contributions, services: own, ...ports }: SharedPorts,
  settings: ReadonlyMap<string, Record<string, unknown>>,
): LoadedPlugin[] {
  const services = new Map<string, unknown>(own.map(({ id, implementation }) => [id, implementation]));
  const faults: string[] = [];
  const all = planned.map(({ manifest }) => manifest);
  const loaded = planned.map(({ manifest, plugin }) => {
    const allowed = [...(manifest.requires ?? []), ...(manifest.optional ?? [])];
    const kernel: Kernel = {
      ...ports,
      readiness: readiness(contributions),
      contributions: (point) => contributions.of(point),
      contributionsFor: (at, point) => contributions.forTenant(at, point),
      settings: settings.get(manifest.id) ?? {},
      log: ports.log.child({ plugin: manifest.id }),
      use<T>(token: ServiceToken<T>): T {
        if (!allowed.includes(token.id)) {
          throw new Refusal('plugins refused', [
            `plugin ${manifest.id} uses ${token.id}, which its manifest does not name`,
          ]);
        }
        return services.get(token.id) as T;
      },
    };
    const registration = plugin.spec.setup(kernel);
    for (const { id, implementation } of registration.services ?? []) services.set(id, implementation);
    contributions.add(registration.contributes ?? [], manifest.id);
    faults.push(...differences(manifest, plugin, registration, all));
    return { manifest, plugin, kernel, registration };
  });
  if (faults.length > 0) throw new Refusal('plugins refused', faults);
  return loaded;
}

/** Declared compared with registered: id, services, contributions, prefixes; permissions and roles of runs, which any plugin may declare. */
export function differences(manifest: Manifest, plugin: WeirPlugin, registration: Registration, all = [manifest]) {
  const { id, provides, contributes } = manifest;
  const provided = registration.services?.map((service) => service.id);
  const contributed = registration.contributes?.map((contribution) => contribution.id);
  const roles = all.flatMap(({ workers = [] }) => workers.map(({ role }) => role));
  const permissions = all.flatMap((one) => Object.keys(one.permissions ?? {}));
  return [
    ...(plugin.spec.id === id
      ? []
      : [`package ${manifest.packageName} declares plugin ${id} but defines ${plugin.spec.id}`]),
    ...beyond(provides, provided).map((name) => `plugin ${id} declares service ${name} but does not provide it`),
    ...beyond(provided, provides).map((name) => `plugin ${id} provides service ${name} but does not declare it`),
    ...beyond(contributed, contributes).map((name) => `plugin ${id} contributes to ${name} but does not declare it`),
    ...beyond(contributes, contributed).map(
      (name) => `plugin ${id} declares that it contributes to ${name} but does not`,
    ),
    ...(registration.runKinds ?? [])
      .filter(({ role }) => role !== undefined && !roles.includes(role))
      .map(({ kind, role }) => `plugin ${id} gives runs of kind ${kind} to the role ${role}, which nothing declares`),
    ...registration.routes.flatMap(({ endpoint }) => {
      const { access } = endpoint;
      const inside = manifest.prefixes.some((prefix) =>
        prefix === '/' ? isPage(endpoint) : endpoint.path === prefix || endpoint.path.startsWith(`${prefix}/`),
      );
      const route = `${endpoint.method} ${endpoint.path}`;
      const fault = accessFault(endpoint);
      return [
        ...(inside ? [] : [`plugin ${id} registers ${route}, which is under none of its prefixes`]),
        ...(fault === undefined ? [] : [`plugin ${id} registers ${route}, which ${fault}`]),
        ...(access !== undefined && access.kind !== 'public' && !permissions.includes(access.permission)
          ? [`plugin ${id} registers ${route} with permission ${access.permission}, which no manifest declares`]
          : []),
      ];
    }),
  ];
}

/** What the owner of `/` may serve: pages beside the API, for anyone. */
const isPage = ({ method, mount, access }: Endpoint) =>
  method === 'GET' && mount === 'root' && access.kind === 'public';

/** Each of the names that is none of the others, once. */
function beyond(names: readonly string[] = [], others: readonly string[] = []): string[] {
  return [...new Set(names).difference(new Set(others))];
}

/** Every error code of the platform by name; a code that two packages claim refuses the start. */
export function problemCatalogue(
  tables: readonly { owner: string; problems: Readonly<Record<string, ProblemType>> }[],
): ReadonlyMap<string, ProblemEntry> {
  const catalogue = new Map<string, { owner: string; entry: ProblemEntry }>();
  const faults: string[] = [];
  for (const { owner, problems } of tables) {
    for (const { entry } of Object.values(problems)) {
      const other = catalogue.get(entry.code);
      if (other && other.entry !== entry)
        faults.push(`error code ${entry.code} is declared by both ${other.owner} and ${owner}`);
      catalogue.set(entry.code, { owner, entry });
    }
  }
  if (faults.length > 0) throw new Refusal('plugins refused', faults);
  return new Map([...catalogue].map(([code, { entry }]) => [code, entry]));
}
