import { EgressError } from '@weir/egress';
import { MAX_BODY_BYTES } from '../answer/decode.ts';
import { EGRESS_FAULTS, fault } from '../fault.ts';
import type { Answer } from './answer.ts';
import type { HttpRequest } from './build-request.ts';
import type { SendDeps } from './send-deps.ts';

/** One exchange through the one way out. Its failures are faults at the place of the requester. */
export async function exchange(request: HttpRequest, at: string, deps: SendDeps, signal: AbortSignal): Promise<Answer> {
  const { method, url, headers, body } = request;
  const tell = (status: number | undefined, bytes: number) =>
    deps.onExchange?.({ at, method, url, headers, body, status, bytes });
  try {
    const sent = { method, headers, signal };
    // What counts is the answer, not that the server has the body.
    const how = body === undefined ? sent : { ...sent, body, redirects: 'keep' as const };
    const { status, headers: said, body: stream, url: from } = await deps.egress().open(url, how);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) throw new EgressError('too_large');
      chunks.push(chunk);
    }
    tell(status, bytes);
    return { status, headers: said, body: Buffer.concat(chunks), url: from };
  } catch (error) {
    signal.throwIfAborted();
    if (isBadHeader(error))
      throw fault('config_invalid', { at, what: 'a header would hold a sign that no header may' });
    if (!(error instanceof EgressError)) throw error;
    tell(undefined, 0);
    throw fault(EGRESS_FAULTS[error.code], { at, cause: error });
  }
}

/** Whether a name or value of a header cannot be sent, as a token with a line break at its end cannot. */
function isBadHeader(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN';
}
