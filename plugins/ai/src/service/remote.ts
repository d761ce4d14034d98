import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type Caller, CallerError, type CallerRequest, createCaller, isPrivate } from '@weir/caller';
import { Refusal } from '@weir/kernel';
import type { AiSettings } from '../settings.ts';
import {
  type AiProvider,
  type ProviderAnswer,
  type ProviderAsk,
  type ProviderContext,
  ProviderFailed,
} from './provider.ts';

/** Bounds of what is asked of the assistant. */
export interface RemoteBounds {
  /** One request. */
  requestMs: number;
  /** One draft, with all of its polls. */
  draftMs: number;
  /** Bytes of an answer. */
  maxBytes: number;
}
const BOUNDS: RemoteBounds = { requestMs: 10_000, draftMs: 60_000, maxBytes: 1_048_576 };
const ATTEMPTS = 3;
const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 2_000;
/** A token is not used in its last seconds. */
const EARLY_MS = 30_000;
const DEFAULT_TOKEN_SECONDS = 300;
/** After so many failures one after the other it is left alone for a while. */
const BREAKS_AFTER = 5;
const BROKEN_MS = 30_000;
/** Letters of JSON that make about one token, and tokens that an answer may have. */
const LETTERS_PER_TOKEN = 3;
const ANSWER_TOKENS = 4_096;

const Word = Type.String({ pattern: '^[!-~]{1,200}$' });
const Count = Type.Integer({ minimum: 0, maximum: 100_000_000 });
const Discovered = Type.Object({ token_endpoint: Type.String({ pattern: '^https?://' }) });
const Token = Type.Object({
  access_token: Type.String({ pattern: '^[!-~]{1,8192}$' }),
  expires_in: Type.Optional(Type.Number({ minimum: 0 })),
});
const Started = Type.Object({ execution_id: Word, trace_id: Type.Optional(Word) });
const State = Type.Object({
  status: Type.Union(['pending', 'running', 'succeeded', 'failed', 'cancelled'].map((word) => Type.Literal(word))),
  output: Type.Optional(Type.Unknown()),
  confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  model: Type.Optional(Word),
  usage: Type.Optional(Type.Object({ input_tokens: Count, output_tokens: Count, cost_micros: Type.Optional(Count) })),
});

const NAMES = [
  'AI_ASSISTANT_API_URL',
  'AI_ASSISTANT_IDP_URL',
  'AI_ASSISTANT_CLIENT_ID',
  'AI_ASSISTANT_CLIENT_SECRET',
] as const;

/** The assistant that the settings name; undefined without one. Throws a `Refusal` where only a part of it is named. */
export function remoteOf(settings: AiSettings, bounds: RemoteBounds = BOUNDS): AiProvider | undefined {
  const missing = NAMES.filter((name) => settings[name] === undefined || settings[name] === '');
  if (missing.length === NAMES.length) return undefined;
  const refuse = (faults: string[]) => {
    throw new Refusal('configuration refused', faults);
  };
  if (missing.length > 0) refuse(missing.map((name) => `${name} is missing: set all of ${NAMES.join(', ')}, or none`));
  for (const name of NAMES.slice(0, 2)) {
    if (!isPrivate(URL.parse(String(settings[name]))))
      refuse([`${name} must be an https address; http is for loopback alone`]);
  }
  return remoteProvider(settings, bounds);
}

function remoteProvider(settings: AiSettings, bounds: RemoteBounds): AiProvider {
  const { AI_ASSISTANT_API_URL: base = '', AI_ASSISTANT_IDP_URL: idp = '' } = settings;
  const { requestMs: timeoutMs, maxBytes } = bounds;
  const call = { timeoutMs, maxBytes, retries: 1 };
  const tokens = tokenSource(createCaller({ ...call, base: idp, methods: ['GET'] }), settings, call);
  const api = createCaller({ ...call, base, token: () => tokens.current() });
  const breaker = circuit();

  /** An answer of this form. A token that is refused is renewed once. */
  const ask = async <S extends TSchema>(request: CallerRequest, form: S): Promise<Static<S>> => {
    let answer = await api.ask(request);
    if (answer.status === 401) {
      tokens.forget();
      answer = await api.ask(request);
    }
    return formed(answer, form);
  };

  const drafted = async (
    { task, input, output, faults }: ProviderAsk,
    { traceId, signal }: ProviderContext,
  ): Promise<ProviderAnswer> => {
    const headers = { traceparent: `00-${traceId}-${traceId.slice(16)}-01` };
    const json = { task, input, output_schema: output, faults };
    const started = await ask(
      { method: 'POST', path: '/v1/executions', json, headers, signal, idempotencyKey: randomUUID() },
      Started,
    );
    const path = `/v1/executions/${encodeURIComponent(started.execution_id)}`;
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(2 * pause, MAX_POLL_MS)) {
      const state = await ask({ method: 'GET', path, headers, signal }, State);
      if (state.status === 'failed' || state.status === 'cancelled')
        throw new ProviderFailed('ai_unavailable', 'execution_failed');
      if (state.status === 'succeeded') return answerOf(started.execution_id, state);
      await delay(pause, undefined, { signal });
    }
  };

  return {
    name: 'remote',
    model: 'remote',
    attempts: ATTEMPTS,
    tokensFor: ({ input }) => Math.ceil(JSON.stringify(input).length / LETTERS_PER_TOKEN) + ANSWER_TOKENS,
    async run(asked, context) {
      const late = AbortSignal.timeout(bounds.draftMs);
      const signal = AbortSignal.any([context.signal, late]);
      return breaker(() =>
        drafted(asked, { ...context, signal }).catch((error: unknown) => {
          if (context.signal.aborted) throw error;
          throw late.aborted ? new ProviderFailed('ai_deadline', 'draft_timed_out') : failureOf(error);
        }),
      );
    },
  };
}

function answerOf(externalId: string, { output, confidence, model, usage }: Static<typeof State>): ProviderAnswer {
  return {
    output,
    externalId,
    confidence: confidence ?? null,
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { tokens: { input: usage.input_tokens, output: usage.output_tokens } }),
    costMicros: usage?.cost_micros ?? 0,
  };
}

const CODES: Readonly<Record<string, ProviderFailed['code']>> = {
  timed_out: 'ai_deadline',
  answer_too_large: 'ai_invalid_output',
  answer_invalid: 'ai_invalid_output',
};

/** A failure by its code, without a word of the service. */
function failureOf(error: unknown): ProviderFailed {
  if (error instanceof ProviderFailed) return error;
  const code = error instanceof CallerError ? error.code : 'unknown';
  return new ProviderFailed(CODES[code] ?? 'ai_unavailable', code);
}

function formed<S extends TSchema>({ status, json }: { status: number; json(): unknown }, form: S): Static<S> {
  if (status < 200 || status > 299) throw new ProviderFailed('ai_unavailable', `status_${status}`);
  const body = json();
  if (!Value.Check(form, body)) throw new ProviderFailed('ai_invalid_output', 'protocol');
  return body;
}

/** Client credentials at the endpoint that the identity provider names; one renewal at a time. */
function tokenSource(
  idp: Caller<'GET'>,
  settings: AiSettings,
  call: { timeoutMs: number; maxBytes: number; retries: number },
) {
  const { AI_ASSISTANT_CLIENT_ID: id = '', AI_ASSISTANT_CLIENT_SECRET: secret } = settings;
  let known: { token: string; until: number } | undefined;
  let renewing: Promise<string> | undefined;
  const renew = async (): Promise<string> => {
    const found = formed(await idp.ask({ method: 'GET', path: '/.well-known/openid-configuration' }), Discovered);
    const address = URL.parse(found.token_endpoint);
    // The secret goes there.
    if (!isPrivate(address)) throw new ProviderFailed('ai_invalid_output', 'protocol');
    const { origin, pathname } = address;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret?.reveal() ?? '',
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const endpoint = createCaller({ ...call, base: origin, methods: ['POST'] });
    const answer = await endpoint.ask({
      method: 'POST',
      path: pathname,
      headers,
      bytes: Buffer.from(form.toString()),
      repeatable: true,
    });
    const { access_token: token, expires_in: seconds = DEFAULT_TOKEN_SECONDS } = formed(answer, Token);
    known = { token, until: performance.now() + seconds * 1_000 - EARLY_MS };
    return token;
  };
  return {
    async current(): Promise<string> {
      if (known !== undefined && performance.now() < known.until) return known.token;
      renewing ??= renew().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
    forget(): void {
      known = undefined;
    },
  };
}

/** Stops to ask after failures in a row; a draft that fails the checks does not count. */
function circuit() {
  let failures = 0;
  let closedAt = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (failures >= BREAKS_AFTER && performance.now() < closedAt)
      throw new ProviderFailed('ai_unavailable', 'left_alone');
    try {
      const result = await work();
      failures = 0;
      return result;
    } catch (error) {
      if (error instanceof ProviderFailed) {
        failures += 1;
        closedAt = performance.now() + BROKEN_MS;
      }
      throw error;
    }
  };
}
