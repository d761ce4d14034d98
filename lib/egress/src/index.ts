/** Door of the egress client: everything of ours that fetches an address which a user gave goes through it. */

export type { Connect } from './connect.ts';
export { createEgress, type Egress, type EgressOptions } from './create-egress.ts';
export { EGRESS_FAULTS, type EgressCode, EgressError } from './egress-error.ts';
export { egressSettings } from './egress-settings.ts';
export { type HostRules, hostAddresses } from './host-addresses.ts';
export type { EgressAnswer, OpenOptions } from './open-options.ts';
export type { Resolve, Target } from './target.ts';
