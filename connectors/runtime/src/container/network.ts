import { ConnectorError } from '../connector-error.ts';
import { NETWORK } from './create-options.ts';
import { type EngineClient, statusOf, within } from './engine-client.ts';

const NO_TRAFFIC_AMONG = 'com.docker.network.bridge.enable_icc';

/**
 * Makes sure of the network of connectors: a bridge of its own in which none reaches another, as any could on the engine's
 * default one. One of that name with other options is refused: `connector_runtime_unavailable`.
 */
export async function ensureNetwork(engine: EngineClient): Promise<void> {
  const network = engine.getNetwork(NETWORK);
  const inspect = () => within(network.inspect() as Promise<{ Driver?: string; Options?: Record<string, string> }>);
  const found = await inspect().catch(async (error: unknown) => {
    if (statusOf(error) !== 404) throw error;
    await create(engine);
    return inspect();
  });
  if (found.Driver !== 'bridge' || found.Options?.[NO_TRAFFIC_AMONG] !== 'false') {
    throw new ConnectorError('connector_runtime_unavailable', { reason: 'network_not_isolated' });
  }
}

async function create(engine: EngineClient): Promise<void> {
  const options = { Name: NETWORK, Driver: 'bridge', CheckDuplicate: true, Options: { [NO_TRAFFIC_AMONG]: 'false' } };
  await within(engine.createNetwork(options)).catch((error: unknown) => {
    // Another worker has made it in between.
    if (statusOf(error) !== 409) throw error;
  });
}
