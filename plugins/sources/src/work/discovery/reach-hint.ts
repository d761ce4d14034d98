import type { RunFailureRecord } from '@weir/kernel';
import type { PatternFile } from '../../model/pattern/pattern-file.ts';

/** How a connector fails that does not get through to its source, or may not have: strangers have no words for it. */
const MAYBE_UNREACHED: readonly string[] = [
  ...['address_refused', 'server_unreachable', 'server_too_slow', 'connection_lost'],
  ...['connector_never_spoke', 'connector_silent', 'connector_run_too_long', 'connector_failed'],
  ...['connector_check_failed', 'connector_config_error', 'connector_transient_error', 'connector_system_error'],
];
const MAX_PLACES = 5;
const HOST = /^(?:[\w.-]+|\[?[0-9a-f:.]+\]?)$/i;

type Reach = Pick<PatternFile, 'egress'> & Partial<Pick<PatternFile, 'spec'>>;
type Config = Readonly<Record<string, unknown>>;

/**
 * The failure with the places in its hint that the connector's pattern says it must reach, when those may be closed:
 * filled from the configuration, and left out where it does not say them. Pure.
 */
export function withReachHint(
  failure: RunFailureRecord,
  { egress = [], spec }: Reach,
  config: Config,
): RunFailureRecord {
  if (!MAYBE_UNREACHED.includes(failure.code)) return failure;
  const known = egress.flatMap((place) => filledPlace(place, spec, config) ?? []);
  if (known.length === 0) return failure;
  const more = known.length > MAX_PLACES ? ', …' : '';
  const places = `It must reach ${known.slice(0, MAX_PLACES).join(', ')}${more}: see that the operator has opened the way there.`;
  return { ...failure, hint: failure.hint === undefined ? places : `${failure.hint} ${places}` };
}

function filledPlace(place: string, spec: unknown, config: Config): string | undefined {
  let isKnown = true;
  const filled = place.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const { properties } = (spec ?? {}) as { properties?: Record<string, { default?: unknown }> };
    const text = hostText(config[name] ?? properties?.[name]?.default);
    isKnown &&= text !== undefined;
    return text ?? '';
  });
  return isKnown ? filled : undefined;
}

/** A host, a port, or the host of an address; nothing else of a configuration is shown. */
function hostText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  if (value.includes('//')) return URL.parse(value)?.host || undefined;
  return HOST.test(value) ? value : undefined;
}
