import semver from 'semver';
import type { Manifest } from '../plugins/manifest.ts';
import { KERNEL_SERVICES } from './kernel-services.ts';

/** A boot order in which every service is there before it is asked for, or every fault found. */
export type BootPlan = { ok: true; order: Manifest[] } | { ok: false; faults: string[] };

/**
 * Plans the start of a set of plugins. Pure. Finds all faults at once, each naming both sides: kernel range, doubled
 * ids, services, prefixes and permissions, missing services, cycles, permissions outside the plugin's own nouns.
 * Among plugins that could start at the same time the order of `platform.json` holds.
 */
export function planBoot(manifests: readonly Manifest[], kernelVersion: string): BootPlan {
  const faults = [
    ...manifests.flatMap((manifest) => kernelFault(manifest, kernelVersion)),
    ...doubled(manifests, 'plugin id', (manifest) => [manifest.id]),
    ...doubled(manifests, 'service', (manifest) => manifest.provides ?? []),
    ...doubled(manifests, 'prefix', (manifest) => manifest.prefixes),
    ...doubled(manifests, 'permission', (manifest) => Object.keys(manifest.permissions ?? {})),
    ...doubled(manifests, 'migration', (manifest) => manifest.migrations ?? []),
    ...missingServices(manifests),
    ...foreignServices(manifests),
  ];
  const { order, cycle } = topological(manifests);
  if (cycle.length > 0) faults.push(`plugins require each other in a circle: ${cycle.join(' -> ')}`);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, order };
}

function kernelFault({ id, kernel, version }: Manifest, kernelVersion: string): string[] {
  if (semver.validRange(kernel) === null) return [`plugin ${id} ${version} names no valid kernel range (${kernel})`];
  return semver.satisfies(kernelVersion, kernel)
    ? []
    : [`plugin ${id} ${version} needs kernel ${kernel}, this kernel is ${kernelVersion}`];
}

function doubled(manifests: readonly Manifest[], what: string, namesOf: (manifest: Manifest) => string[]): string[] {
  const owners = new Map<string, string>();
  return manifests.flatMap((manifest) =>
    namesOf(manifest).flatMap((name) => {
      const owner = owners.get(name);
      owners.set(name, manifest.packageName);
      return owner === undefined ? [] : [`${what} ${name} is claimed by both ${owner} and ${manifest.packageName}`];
    }),
  );
}

function missingServices(manifests: readonly Manifest[]): string[] {
  const provided = [...KERNEL_SERVICES, ...manifests.flatMap((manifest) => manifest.provides ?? [])];
  return manifests.flatMap((manifest) =>
    (manifest.requires ?? [])
      .filter((service) => !provided.includes(service))
      .map((service) => {
        const name = service.split('@')[0];
        const other = provided.find((candidate) => candidate.startsWith(`${name}@`));
        const instead = other === undefined ? 'no plugin provides it' : `only ${other} is provided`;
        return `plugin ${manifest.id} requires service ${service}, but ${instead}`;
      }),
  );
}

function foreignServices(manifests: readonly Manifest[]): string[] {
  return manifests.flatMap((manifest) =>
    (manifest.provides ?? [])
      .filter((service) => !service.startsWith(`${manifest.id}.`))
      .map((service) => `plugin ${manifest.id} provides ${service}, which is not in its own name`),
  );
}

/** Kahn's algorithm, taking the first ready plugin each time; what is left over lies on or behind a circle. */
function topological(manifests: readonly Manifest[]): { order: Manifest[]; cycle: string[] } {
  const ownerOf = new Map(
    manifests.flatMap((manifest) => (manifest.provides ?? []).map((name) => [name, manifest.id])),
  );
  const needs = (manifest: Manifest) =>
    [...(manifest.requires ?? []), ...(manifest.optional ?? [])].flatMap((name) => ownerOf.get(name) ?? []);
  const order: Manifest[] = [];
  let left = [...manifests];
  while (left.length > 0) {
    const next = left.find((manifest) => needs(manifest).every((id) => order.some((done) => done.id === id)));
    if (next === undefined) return { order, cycle: left.map((manifest) => manifest.id) };
    order.push(next);
    left = left.filter((manifest) => manifest !== next);
  }
  return { order, cycle: [] };
}
