const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const MAX_BYTES = 256 * 1024;

/** An answer or an address that no provider of ours may have; the message names no value of it. */
export class UnacceptableAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnacceptableAnswer';
  }
}

/** Whether an address may be given secrets: https, or this machine. */
export function isGuarded(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * A fetch for documents of others: to guarded addresses only, never on to another one, at most 256 KiB, ended by the
 * signal. `UnacceptableAnswer` says which of these did not hold.
 */
export function boundedFetch(signal: AbortSignal): Fetch {
  return async (url, init) => {
    if (!isGuarded(url)) throw new UnacceptableAnswer('it names an address without https');
    const signals = [signal, ...(init.signal ? [init.signal] : [])];
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) });
    if (answer.status >= 300 && answer.status < 400) {
      await answer.body?.cancel();
      throw new UnacceptableAnswer('it redirects');
    }
    const body = await boundedBody(answer, MAX_BYTES);
    return new Response(body.length === 0 ? null : body, { status: answer.status, headers: answer.headers });
  };
}

/** All bytes of an answer, at most so many. */
export async function boundedBody(answer: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new UnacceptableAnswer('it answers too much');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
