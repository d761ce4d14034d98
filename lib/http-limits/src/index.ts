export { bindCalls } from './bind-calls.ts';
export { clientAddress, networkOf, ProxiesError, trustedProxies, warnOfForwarders } from './client-address.ts';
export {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  endRequestAfter,
  endWithin,
  limitConnections,
  limitRequests,
  trustConnection,
} from './connections.ts';
export { allowedOrigins, allowOrigins, OriginsError } from './cors.ts';
export { goneSignal } from './gone-signal.ts';
export { onePerTick } from './one-per-tick.ts';
