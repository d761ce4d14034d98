import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, preParsingAsyncHookHandler } from 'fastify';
import type { SignatureReader } from '../contract/call-points.ts';
import type { WebhookPrincipal } from '../contract/caller.ts';
import { kernelProblems } from '../contract/problems.ts';

/** Bodies that were read before their time, as the signature of a request is over them. */
const bodies = new WeakMap<FastifyRequest, Buffer>();

/** Who has signed a request: its body is read whole, within the limit of its route, before anything is made of it. */
export async function signer(
  request: FastifyRequest,
  reply: FastifyReply,
  reader: SignatureReader | undefined,
): Promise<WebhookPrincipal> {
  if (reader === undefined) throw kernelProblems.signatureRequired();
  const chunks: Buffer[] = [];
  let left = request.routeOptions.bodyLimit;
  // Whoever sends too much is told so, and nothing more is read.
  for await (const chunk of request.raw.iterator({ destroyOnReturn: false })) {
    left -= chunk.length;
    if (left < 0) {
      reply.header('connection', 'close');
      throw kernelProblems.payloadTooLarge();
    }
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  bodies.set(request, body);
  return reader.read({ headers: request.headers, body });
}

/** Gives the parser what was read. */
export const signedBody: preParsingAsyncHookHandler = async (request) => {
  const body = bodies.get(request) ?? Buffer.alloc(0);
  return Object.assign(Readable.from([body]), { receivedEncodedLength: body.length });
};
