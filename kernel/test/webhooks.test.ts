import { Buffer } from 'node:buffer';
import { request as httpRequest } from 'node:http';
import { Type } from '@sinclair/typebox';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { webhookPermission } from '../src/contract/access.ts';
import { type AuditedCall, AuditTrails, SignatureReaders, type SignedCall } from '../src/contract/call-points.ts';
import { endpoint } from '../src/contract/endpoint.ts';
import { kernelProblems } from '../src/contract/problems.ts';
import { Closed } from '../src/contract/shapes.ts';
import { contribute, contributions } from '../src/contributions/contributions.ts';
import { auditCalls } from '../src/http/audit-calls.ts';
import { authenticator } from '../src/http/authenticate.ts';
import { handle } from '../src/http/handle.ts';
import { createServer } from '../src/http/server.ts';
import { definePlugin, type Registration } from '../src/plugins/define-plugin.ts';

const ring = endpoint({
  ...{ id: 'bells.ring', method: 'POST', path: '/bells', summary: 'Ring', access: webhookPermission('bells:ring') },
  body: Closed({ note: Type.String() }),
  response: Type.Object({ note: Type.String() }),
});
const never = async (): Promise<never> => Promise.reject(new Error('nobody asks this'));

/** A server with one signed route, whose reader lets in what is signed `good`. */
async function world(t: Test) {
  const [read, begun]: [SignedCall[], AuditedCall[]] = [[], []];
  const given = contributions();
  given.add([
    contribute(SignatureReaders, {
      permission: 'bells:ring',
      read: async (call) => {
        read.push(call);
        if (call.headers['x-signature'] !== 'good') throw kernelProblems.unauthenticated();
        return { kind: 'webhook', subject: 'ringer', client: 'ringer' };
      },
    }),
    contribute(AuditTrails, {
      begin: async (call) => {
        begun.push(call);
        return async () => undefined;
      },
      denied: async () => undefined,
    }),
  ]);
  const app = createServer(pino({ level: 'silent' }));
  auditCalls(app, given, pino({ level: 'silent' }));
  const registration: Registration = { routes: [handle(ring, async ({ body }) => body)] };
  const deps = {
    authenticate: authenticator({
      ...{
        rules: {} as never,
        tenants: { byAlias: never, list: never },
        tenantPlugins: { isEnabled: never },
        contributions: given,
      },
    }),
    idempotency: { once: async <T>(_call: unknown, work: () => Promise<T>) => work() } as never,
  };
  await app.register(definePlugin({ id: 'bells', setup: () => registration }), { registration, deps });
  t.teardown(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const send = async (payload: string | Buffer | ReadableStream, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/api/v1/bells`, {
      ...{ method: 'POST', duplex: 'half', body: payload },
      headers: { 'content-type': 'application/json', 'x-signature': 'good', ...headers },
    });
    const { code, note } = (await answer.json()) as { code?: string; note?: string };
    return { status: answer.status, code, note };
  };
  /** The status that answers chunks of more than the limit, none of which says how many there are. */
  const unannounced = () =>
    new Promise<number>((resolve, reject) => {
      const request = httpRequest(`${url}/api/v1/bells`, { method: 'POST' }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      });
      request.once('error', reject);
      for (let piece = 0; piece < 17; piece += 1) request.write(Buffer.alloc(64 * 1024, 120));
    });
  return { send, unannounced, read, begun };
}

t.test('a signed request is read once by its bytes, noted, and then as any other', async (t) => {
  const { send, read, begun } = await world(t);
  t.match(await send('{"note":  "dé"}'), { status: 200, note: 'dé' });
  t.equal(read[0]?.body.toString(), '{"note":  "dé"}', 'the bytes as they were sent');
  t.match(begun[0], { principal: { kind: 'webhook', subject: 'ringer' }, tenant: undefined });
  const chunks = new ReadableStream({
    start(controller) {
      for (const piece of ['{"no', 'te":"in pi', 'eces"}']) controller.enqueue(Buffer.from(piece));
      controller.close();
    },
  });
  t.match(await send(chunks), { status: 200, note: 'in pieces' });
  t.match(await send('{"note":'), { status: 400, code: 'malformed_json' });
  t.match(await send('{"note":1}'), { status: 400, code: 'validation_failed' });
  t.match(await send(''), { status: 400, code: 'validation_failed' });
});

t.test('nothing but the signature lets in', async (t) => {
  const { send, unannounced, read, begun } = await world(t);
  t.match(await send('{"note":"a"}', { 'x-signature': 'bad' }), { status: 401, code: 'unauthenticated' });
  const before = read.length;
  const token = { authorization: 'Bearer a b' };
  t.match(
    await send('{"note":"a"}', token),
    { status: 401, code: 'signature_required' },
    'not two credentials at once',
  );
  const large = `{"note":"${'x'.repeat(1024 * 1024)}"}`;
  t.match(await send(large), { status: 413, code: 'payload_too_large' });
  t.equal(await unannounced(), 413, 'nor is it believed to be small');
  t.equal(read.length, before, 'and no signature is looked for over what is too large');
  t.strictSame(begun, []);
});
