import { EgressError } from './egress-error.ts';
import { parseNetwork } from './network.ts';

const MAX_PORT = 65_535;
const words = (text: string | undefined) => (text ?? '').split(/[\s,]+/).filter((word) => word !== '');

/**
 * What the operator allows, read from the environment: `WEIR_EGRESS_ALLOW`, networks that are not public and may be
 * reached all the same (`10.20.0.0/16, fd00::/8`), and `WEIR_EGRESS_PORTS`, ports beside 80 and 443. Both are lists with
 * commas or spaces. `setting_invalid` when an entry is neither a network nor a port.
 */
export function egressSettings(environment: Readonly<Record<string, string | undefined>>): {
  allowPrivate: string[];
  ports: number[];
} {
  const allowPrivate = words(environment.WEIR_EGRESS_ALLOW);
  allowPrivate.forEach(parseNetwork);
  const ports = words(environment.WEIR_EGRESS_PORTS).map((word) => {
    const port = Number(word);
    if (!/^\d{1,5}$/.test(word) || port < 1 || port > MAX_PORT) throw new EgressError('setting_invalid');
    return port;
  });
  return { allowPrivate, ports };
}
