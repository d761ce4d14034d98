import { type Call, inCall, type Taker } from '@weir/turns';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { goneSignal } from './gone-signal.ts';

/** Lets what a request asks for be known as that of its caller: the hooks before its body, and what comes behind it. */
export function bindCalls(app: FastifyInstance, whoOf: (request: FastifyRequest) => Taker): void {
  const calls = new WeakMap<FastifyRequest, Call>();
  app.addHook('onRequest', (request, reply, done) => {
    const call: Call = { who: () => whoOf(request), gone: () => goneSignal(reply) };
    calls.set(request, call);
    inCall(call, done);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    // The events of a body know nothing of what came before them.
    const call = calls.get(request);
    if (call === undefined) done();
    else inCall(call, done);
  });
}
