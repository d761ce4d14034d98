import type { RunFailureRecord } from '@weir/kernel';
import type { PatternFile } from '../../model/pattern/pattern-file.ts';

/** How a connector fails that does not get through to its source, or may not have: strangers have no words for it. */
const MAYBE_UNREACHED: readonly string[] = [
  ...['address_refused', 'server_unreachable', 'server_too_slow', 'connection_lost'],
  ...['connector_never_spoke', 'connector_silent', 'connector_run_too_long', 'connector_failed'],
  ...['connector_check_failed', 'connector_config_error', 'connector_transient_error', 'connector_system_error'],
];
const MAX_PLACES = 5;

/** The failure with the places in its hint that the connector's pattern says it must reach, when those may be closed. Pure. */
export function withReachHint(
  failure: RunFailureRecord,
  { egress = [] }: Pick<PatternFile, 'egress'>,
): RunFailureRecord {
  if (egress.length === 0 || !MAYBE_UNREACHED.includes(failure.code)) return failure;
  const more = egress.length > MAX_PLACES ? ', …' : '';
  const places = `It must reach ${egress.slice(0, MAX_PLACES).join(', ')}${more}: see that the operator has opened the way there.`;
  return { ...failure, hint: failure.hint === undefined ? places : `${failure.hint} ${places}` };
}
