import type { DiscoveryPhase } from '../../contract.ts';

interface Bounds {
  WEIR_CHECK_MAX_SECONDS: number;
  WEIR_DISCOVERY_MAX_SECONDS: number;
}

/** What an open discovery waits for, in a sentence for who waits with it; nothing where the phase alone says it. Pure. */
export function waitsFor(phase: DiscoveryPhase, bounds: Bounds): string | null {
  const { WEIR_CHECK_MAX_SECONDS: check, WEIR_DISCOVERY_MAX_SECONDS: all } = bounds;
  switch (phase) {
    case 'preparing':
      return 'The worker starts the connector.';
    case 'checking':
      return `The connector tries the configuration at its source, for at most ${check} seconds.`;
    case 'describing':
      return `The connector lists the streams of its source; a discovery takes at most ${all} seconds.`;
    default:
      return null;
  }
}
