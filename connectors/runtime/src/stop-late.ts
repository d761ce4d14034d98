import type { ConnectorErrorCode } from './connector-error.ts';
import type { ConnectorProcess } from './connector-runtime.ts';

/** What is late because it does nothing any more; one that works too long has another reason. */
const STILL: readonly ConnectorErrorCode[] = ['connector_never_spoke', 'connector_silent'];

/**
 * Stops a connector whose deadline has passed, and tells what for: one that has come to a bound and waits there is told of by
 * the bound. It is asked for while the connector still runs; what was told last before its output ended counts.
 */
export async function stopLate(
  connector: Pick<ConnectorProcess, 'boundNow' | 'stop'>,
  code: ConnectorErrorCode,
  tell: (code: ConnectorErrorCode) => void,
): Promise<void> {
  tell(code);
  const bound = STILL.includes(code) ? await connector.boundNow?.() : undefined;
  if (bound !== undefined) tell(bound);
  await connector.stop();
}
