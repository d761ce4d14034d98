import { walkConfig } from '../config/walk-config.ts';
import type { Pattern } from '../pattern/pattern-file.ts';

/** The configuration of a source as it may leave the service: nothing of it when its pattern is not known here. */
export function visibleConfig(
  config: Readonly<Record<string, unknown>>,
  pattern: Pattern | undefined,
): Record<string, unknown> {
  return pattern === undefined ? {} : walkConfig(config, pattern.spec, credentialsOf(pattern)).visible;
}

function credentialsOf(pattern: Pattern): ReadonlySet<string> {
  const secret = (pattern.fields ?? []).filter((field) => field.credential === true || field.type === 'password');
  return new Set(secret.map(({ path }) => (path.startsWith('/') ? path : `/${path.replaceAll('.', '/')}`)));
}
