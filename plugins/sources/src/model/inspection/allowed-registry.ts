const DEFAULT_REGISTRY = 'docker.io';
/** What the default registry keeps images without a path under. */
const DEFAULT_PATH = 'library';
const REGISTRY = /^(?:localhost|[^/]*[.:][^/]*)\//;

/** Whether a repository lies in one of the registries, or below one of the paths in them, that the operator lists. Pure. */
export function isAllowedRegistry(repository: string, listed: string): boolean {
  const whole = wholeName(repository);
  return listed
    .split(/[ ,]+/)
    .map((entry) => entry.replace(/\/+$/, ''))
    .some((entry) => entry !== '' && (whole === entry || whole.startsWith(`${entry}/`)));
}

/** A repository with the registry that the engine would ask. */
function wholeName(repository: string): string {
  if (REGISTRY.test(repository)) return repository;
  return [DEFAULT_REGISTRY, ...(repository.includes('/') ? [] : [DEFAULT_PATH]), repository].join('/');
}
