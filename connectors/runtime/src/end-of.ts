import type { ConnectorExit, ConnectorProcess } from './connector-runtime.ts';

/** How long a connector may live on after its output ended. */
export const EXIT_AFTER_OUTPUT_MS = 15_000;

/** The end of a connector whose output has ended; one that lingers is stopped. */
export async function endOf(connector: ConnectorProcess): Promise<ConnectorExit> {
  const timer = setTimeout(() => void connector.stop(), EXIT_AFTER_OUTPUT_MS);
  try {
    return await connector.exit;
  } finally {
    clearTimeout(timer);
  }
}
