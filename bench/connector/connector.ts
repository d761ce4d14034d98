import type { BenchOptions, BenchResult } from '../bench-result.ts';
import { lineProtocol, lineProtocolInContainer } from './line-protocol.ts';
import { stockConnector, stockConnectorInContainer, stockConnectorVsPyAirbyte } from './stock-connector.ts';

const CASES = {
  stock_connector: stockConnector,
  stock_connector_in_container: stockConnectorInContainer,
  stock_connector_vs_pyairbyte: stockConnectorVsPyAirbyte,
  line_protocol: lineProtocol,
  line_protocol_in_container: lineProtocolInContainer,
};

/** What the protocol of connectors costs: of one that others made, and of lines as such. */
export async function connector(options: BenchOptions): Promise<BenchResult> {
  const wanted = Object.entries(CASES).filter(([name]) => name.includes(options.only));
  const cases = [];
  for (const [, measure] of wanted) cases.push(await measure(options));
  return { suite: 'connector', cases };
}
