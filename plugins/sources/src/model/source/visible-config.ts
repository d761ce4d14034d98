import { walkConfig } from '../config/walk-config.ts';
import type { Pattern } from '../pattern/pattern-file.ts';

/** The configuration of a source as it may leave the service: nothing of it when its pattern is not known here. */
export function visibleConfig(
  config: Readonly<Record<string, unknown>>,
  pattern: Pattern | undefined,
): Record<string, unknown> {
  return pattern === undefined ? {} : walkConfig(config, pattern.spec, pattern.namedCredentials).visible;
}
