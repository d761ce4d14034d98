import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startFaultyService } from '@weir/caller/testing';
import { Secret } from '@weir/vault';
import t, { type Test } from 'tap';
import { HASTY_MS, PATIENT_MS } from '../../../test/until.ts';
import * as endpoints from '../src/contract.ts';
import { ProviderFailed } from '../src/service/provider.ts';
import { remoteOf } from '../src/service/remote.ts';
import { ORDERS, setUp } from './kit.ts';

const SECRET = 'CNRY-of-the-client';
const BOUNDS = { requestMs: PATIENT_MS, draftMs: PATIENT_MS, maxBytes: 1_048_576 };
const DRAFT = { sql: `select id, count(*) as n from ${ORDERS} group by id`, explanation: 'Counts rows.' };

interface Assistant {
  /** What it answers as output. */
  output: unknown;
  /** Tokens that it takes; any at first. */
  takes?: string;
  /** Where its identity provider says that tokens are; below its own address unless given. */
  tokensAt?: string;
}

/** An identity provider and an assistant behind one address; `seen` are requests with what they carried. */
async function assistant(t: Test, { output, takes, tokensAt }: Assistant) {
  const seen: { path: string; authorization: string | undefined; body: string }[] = [];
  let tokens = 0;
  const server = createServer(async (request, answer) => {
    const { url = '', headers } = request;
    seen.push({ path: url, authorization: headers.authorization, body: await textOf(request) });
    const send = (status: number, body: object) => answer.writeHead(status).end(JSON.stringify(body));
    if (url.endsWith('/openid-configuration')) return send(200, { token_endpoint: tokensAt ?? `${base}/idp/token` });
    if (url === '/idp/token') {
      tokens += 1;
      return send(200, { access_token: `token-${tokens}`, expires_in: 600 });
    }
    if (takes !== undefined && headers.authorization !== `Bearer ${takes}`) return send(401, {});
    if (url === '/v1/executions') return send(202, { execution_id: 'their-1', trace_id: 'their-trace' });
    const polls = seen.filter(({ path }) => path === url).length;
    const usage = { input_tokens: 30, output_tokens: 12, cost_micros: 250 };
    return send(
      200,
      polls < 2 ? { status: 'running' } : { status: 'succeeded', output, model: 'm-9', confidence: 0.8, usage },
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, base, idp: `${base}/idp` };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const settingsOf = (base: string, idp: string) => ({
  AI_ASSISTANT_API_URL: base,
  AI_ASSISTANT_IDP_URL: idp,
  AI_ASSISTANT_CLIENT_ID: 'weir',
  AI_ASSISTANT_CLIENT_SECRET: new Secret(SECRET),
});
const ASK = { task: 'generate-transform', input: {}, output: { type: 'object' } as never, faults: [] } as const;
const context = { tenant: {} as never, traceId: 'a'.repeat(32), signal: new AbortController().signal };
const named = (base: string, idp: string, bounds = BOUNDS) => {
  const remote = remoteOf(settingsOf(base, idp) as never, bounds);
  if (remote === undefined) throw new Error('no assistant is named');
  return remote;
};

t.test('an assistant by all four settings → its draft, checked, with its ids and its costs', async (t) => {
  const { base, idp, seen } = await assistant(t, { output: DRAFT, takes: 'token-2' });
  const { call, database } = await setUp(t, { settings: settingsOf(base, idp) });
  const ask = () => call(endpoints.generateTransform, { body: { description: 'rows per id', inputs: [ORDERS] } });
  t.match(await ask(), {
    body: {
      ...{ provider: 'remote', model: 'm-9', external_id: 'their-1', degraded: false, confidence: 0.8 },
      usage: { input_tokens: 30, output_tokens: 12, cost_micros: 250 },
      result: { artifact: { sql: DRAFT.sql }, review: { verdict: 'pass' } },
    },
  });
  const tokens = () => seen.filter(({ path }) => path === '/idp/token');
  t.equal(tokens().length, 2, 'a token that is refused is renewed once');
  await Promise.all([ask(), ask()]);
  t.equal(tokens().length, 2, 'and then used until its end');
  t.match(tokens()[0]?.body, `client_secret=${SECRET}`);
  t.notMatch(JSON.stringify(seen.filter(({ path }) => path.startsWith('/v1'))), SECRET);
  t.notMatch(JSON.stringify(await database.peek('select * from ai.execution')), /rows per id/);
});

t.test('an assistant that lies about the form of its answer → named, and the rules answer degraded', async (t) => {
  const { base, idp } = await assistant(t, { output: { sql: 7, explanation: ['x'], more: '<script>' } });
  const { call } = await setUp(t, { settings: settingsOf(base, idp) });
  const ask = (description: string) => call(endpoints.generateTransform, { body: { description, inputs: [ORDERS] } });
  t.match(await ask('count rows by id'), {
    body: { provider: 'embedded', degraded: true, warnings: [{ code: 'ai_invalid_output', detail: /schema/ }] },
  });
  t.match(await ask('predict churn'), {
    status: 502,
    problem: { code: 'ai_invalid_output', errors: [{ code: 'schema' }] },
  });
});

t.test('an assistant that fails in every way → bounded, by a code, and without a word of it', async (t) => {
  const { idp } = await assistant(t, { output: DRAFT });
  const service = await startFaultyService();
  t.teardown(() => service.close());
  for (const { name, base, outcome } of service.faults) {
    const hasty = { ...BOUNDS, requestMs: name === 'hangs' ? HASTY_MS : PATIENT_MS };
    const error = await named(base, idp, hasty)
      .run(ASK, context)
      .catch((thrown: unknown) => thrown);
    t.ok(error instanceof ProviderFailed, name);
    const { code, message } = error as ProviderFailed;
    const codes = {
      timed_out: 'ai_deadline',
      answer_too_large: 'ai_invalid_output',
      answer_invalid: 'ai_invalid_output',
    };
    t.equal(code, codes[outcome as keyof typeof codes] ?? 'ai_unavailable', name);
    t.match(message, typeof outcome === 'number' ? `status_${outcome}` : outcome);
    t.notMatch(`${error}`, new RegExp(`CNRY|${base}`));
  }
  const late = named(service.faults.find(({ name }) => name === 'hangs')?.base ?? '', idp, {
    ...BOUNDS,
    draftMs: HASTY_MS,
  });
  await t.rejects(late.run(ASK, context), { code: 'ai_deadline', message: 'draft_timed_out' });
});

t.test('an assistant that failed five times → is left alone for a while', async (t) => {
  const { idp } = await assistant(t, { output: DRAFT });
  const remote = named('http://127.0.0.1:1', idp);
  for (let at = 0; at < 5; at += 1) await t.rejects(remote.run(ASK, context), { message: 'address_unreachable' });
  await t.rejects(remote.run(ASK, context), { code: 'ai_unavailable', message: 'left_alone' });
});

t.test('tokens at an address without TLS → the secret is not sent there', async (t) => {
  const { base, idp, seen } = await assistant(t, { output: DRAFT, tokensAt: 'http://tokens.example/token' });
  await t.rejects(named(base, idp).run(ASK, context), { code: 'ai_invalid_output', message: 'protocol' });
  t.strictSame(
    seen.map(({ path }) => path),
    ['/idp/.well-known/openid-configuration'],
  );
});

t.test('a part of the settings, or another kind of address → the start is refused by name', async (t) => {
  const whole = settingsOf('http://127.0.0.1:1', 'http://127.0.0.1:1');
  t.equal(remoteOf({} as never), undefined);
  for (const name of Object.keys(whole)) {
    const refused = () => remoteOf({ ...whole, [name]: undefined } as never);
    t.throws(refused, { message: new RegExp(`${name} is missing`) });
    t.throws(() => remoteOf({ [name]: whole[name as keyof typeof whole] } as never), { message: /is missing/ });
  }
  for (const name of ['AI_ASSISTANT_API_URL', 'AI_ASSISTANT_IDP_URL'])
    for (const address of ['ftp://x', 'http://assistant.example', 'no address'])
      t.throws(() => remoteOf({ ...whole, [name]: address } as never), { message: new RegExp(`${name} must be`) });
});
