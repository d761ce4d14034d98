import { ConnectorError } from '../connector-error.ts';
import { NETWORK } from './create-options.ts';
import { type EngineClient, statusOf, within } from './engine-client.ts';

/** Each try makes it or takes one away; what is then still not there is another's doing. */
const MAX_TRIES = 5;
const NO_TRAFFIC_AMONG = 'com.docker.network.bridge.enable_icc';

/**
 * Makes sure of the network of connectors: a bridge of its own in which none reaches another, as any could on the engine's
 * default one. One of that name with other options is refused: `connector_runtime_unavailable`.
 */
export async function ensureNetwork(engine: EngineClient): Promise<void> {
  const network = engine.getNetwork(NETWORK);
  for (let tried = 1; ; tried += 1) {
    try {
      const found = (await within(network.inspect())) as { Driver?: string; Options?: Record<string, string> };
      if (found.Driver === 'bridge' && found.Options?.[NO_TRAFFIC_AMONG] === 'false') return;
      throw new ConnectorError('connector_runtime_unavailable', { reason: 'network_not_isolated' });
    } catch (error) {
      const status = statusOf(error);
      if (tried > MAX_TRIES || (status !== 404 && status !== 400)) throw error;
      await (status === 404 ? create(engine) : keepOldest(engine));
    }
  }
}

/**
 * Workers that start together may each make the network, as the engine looks for a name and makes it in two steps; no name
 * of two networks can be used. All of them keep the same one.
 */
async function keepOldest(engine: EngineClient): Promise<void> {
  const found = await within(engine.listNetworks({ filters: { name: [NETWORK] } }));
  const ours = found.filter(({ Name }) => Name === NETWORK);
  const order = ({ Created, Id }: (typeof ours)[number]) => `${Created} ${Id}`;
  const [, ...later] = ours.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  for (const { Id } of later) {
    await within(engine.getNetwork(Id).remove()).catch((error: unknown) => {
      // Another worker has removed it in between.
      if (statusOf(error) !== 404) throw error;
    });
  }
}

async function create(engine: EngineClient): Promise<void> {
  const options = { Name: NETWORK, Driver: 'bridge', CheckDuplicate: true, Options: { [NO_TRAFFIC_AMONG]: 'false' } };
  await within(engine.createNetwork(options)).catch((error: unknown) => {
    // Another worker has made it in between.
    if (statusOf(error) !== 409) throw error;
  });
}
