import { ConnectorError } from '../connector-error.ts';
import { statusOf, wordsOf } from './engine-client.ts';

/** How engines refuse bounds: they say nothing of it but words. */
const LIMIT_WORDS =
  /range of cpus|(?:minimum|maximum) memory|(?:memory|pids|cpu)\S* limit|nanocpus|no such (?:cpu|cgroup)/i;

/** What the engine's refusal of a start means: the bounds or the image are none to run here; no answer at all, that it is away. */
export function startFailure(cause: unknown): ConnectorError {
  const status = statusOf(cause);
  if (status === undefined)
    return new ConnectorError('connector_runtime_unavailable', { reason: 'engine_silent', cause });
  if (status === 400 && LIMIT_WORDS.test(wordsOf(cause)))
    return new ConnectorError('connector_limits_refused', { cause });
  return new ConnectorError(status === 400 || status === 404 ? 'connector_image_unusable' : 'connector_start_failed', {
    cause,
  });
}
