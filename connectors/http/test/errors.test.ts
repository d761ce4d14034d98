import t from 'tap';
import { at, configOf, dataOf, errorOf, manifest, read, retriever, run, serve, waits } from './kit.ts';

const server = await serve();
const { port, url } = server;
const handled = (error_handler: object) => configOf(url, manifest({ retriever: retriever({ error_handler }) }));
const good = { json: { data: [{ id: 1 }] } };
const failing = (times: number, status: number, headers: Record<string, string> = {}) => {
  let left = times;
  return () => {
    left -= 1;
    return left >= 0 ? { status, headers, json: { code: 'busy' } } : good;
  };
};
const backoff = (...backoff_strategies: object[]) => ({ type: 'DefaultErrorHandler', backoff_strategies });

t.test('what may pass is tried again, after the wait that the manifest or the server names', async (t) => {
  const soon = String(Math.floor(Date.UTC(2024, 5, 1) / 1000) + 100_000);
  for (const [handler, api, wanted] of [
    [backoff(), failing(3, 500), [5000, 10_000, 20_000]],
    [backoff(), failing(1, 503, { 'retry-after': '7' }), [7000]],
    [backoff({ type: 'ConstantBackoffStrategy', backoff_time_in_seconds: 2 }), failing(2, 502), [2000, 2000]],
    [backoff({ type: 'ExponentialBackoffStrategy', factor: 1 }), failing(2, 429), [2000, 4000]],
    [
      backoff({ type: 'WaitTimeFromHeader', header: 'X-Wait', regex: '\\d+' }),
      failing(1, 429, { 'x-wait': 'in 9 s' }),
      [9000],
    ],
    [
      backoff({ type: 'WaitUntilTimeFromHeader', header: 'X-Until', min_wait: 3 }),
      failing(1, 429, { 'x-until': '1' }),
      [3000],
    ],
    [
      {
        type: 'DefaultErrorHandler',
        response_filters: [{ type: 'HttpResponseFilter', action: 'RETRY', error_message_contains: 'busy' }],
      },
      failing(1, 400),
      [5000],
    ],
  ] as const) {
    waits.length = 0;
    server.api = api;
    const said = await read(handled(handler), port);
    t.strictSame([dataOf(said), waits], [[{ id: 1 }], wanted], JSON.stringify(errorOf(said) ?? ''));
  }
  server.api = failing(1, 429, { 'x-until': soon });
  const late = await read(handled(backoff({ type: 'WaitUntilTimeFromHeader', header: 'X-Until' })), port);
  t.match(errorOf(late), { internal_message: 'wait_too_long', failure_type: 'transient_error' });
  waits.length = 0;
  server.api = failing(1, 429, { 'retry-after': '86400' });
  const told = errorOf(await read(handled(backoff()), port));
  t.match(told, {
    internal_message: 'wait_too_long',
    hint: /the server asks to wait for 86400 s/,
    retry_at: /^\d{4}-.*Z$/,
  });
  t.equal(Date.parse(told.retry_at) - at.now(), 86_400_000, 'the time itself is passed on, not its length');
  t.strictSame(waits, []);
});

t.test(
  'a check and a discovery of a server that fails → its fault after seconds, where a sync goes on trying',
  async (t) => {
    for (const [status, code] of [
      [500, 'server_failed'],
      [429, 'server_busy'],
    ] as const) {
      server.api = () => ({ status, headers: { 'retry-after': '4' } });
      for (const verb of ['check', 'discover']) {
        waits.length = 0;
        const said = await run(verb, { config: configOf(url, manifest({ retriever: retriever() })) }, [port]);
        const told = said.messages.find((m) => m.type === 'CONNECTION_STATUS')?.connectionStatus.code;
        t.equal(told ?? errorOf(said)?.internal_message, code, `${verb}: ${status}`);
        t.strictSame(waits, [4000, 4000], verb);
      }
    }
  },
);

t.test('a wait before a retry → a line in the log with its cause and length', async (t) => {
  server.api = failing(2, 429, { 'retry-after': '7' });
  const { messages } = await read(handled(backoff()), port);
  const logs = messages.flatMap(({ log }) => (log === undefined ? [] : [`${log.level} ${log.message}`]));
  const at = '/streams/0/retriever/requester';
  t.strictSame(
    logs,
    [2, 3].map((attempt) => `WARN ${at}: attempt ${attempt} in 7 s (server_busy, status 429)`),
  );
});

t.test('a run that fails says which code it is, who must act, and where in the manifest', async (t) => {
  const at = '/streams/0/retriever/requester';
  const cases: [object, () => object, string, string][] = [
    [{ type: 'DefaultErrorHandler', max_retries: 1 }, failing(9, 500), 'server_failed', 'transient_error'],
    [{ type: 'DefaultErrorHandler', max_retries: 0 }, failing(9, 429), 'server_busy', 'transient_error'],
    [{ type: 'DefaultErrorHandler' }, failing(9, 404), 'address_not_found', 'config_error'],
    [{ type: 'DefaultErrorHandler' }, failing(9, 422), 'request_refused', 'config_error'],
    [{ type: 'DefaultErrorHandler' }, () => ({ body: 'no json' }), 'answer_invalid', 'config_error'],
    [{ type: 'DefaultErrorHandler' }, () => ({ json: { data: ['text'] } }), 'record_not_object', 'config_error'],
    [
      { type: 'DefaultErrorHandler' },
      () => ({ status: 302, headers: { location: 'http://10.0.0.1/' } }),
      'address_refused',
      'config_error',
    ],
  ];
  for (const [handler, api, code, type] of cases) {
    server.api = api;
    const said = await read(handled(handler), port);
    t.match(errorOf(said), { internal_message: code, failure_type: type });
    t.match(errorOf(said)?.hint, /^\/streams\/0\/retriever/, at);
    t.notMatch(said.raw.replaceAll(url, ''), /127\.0|10\.0\.0/);
  }
  const nowhere = configOf('http://127.0.0.1:9', manifest({ retriever: retriever() }));
  t.match(errorOf(await read(nowhere, port)), { internal_message: 'address_refused' }, 'the port is not open');
});

t.test('filters ignore, fail and take an answer as the manifest says', async (t) => {
  const filter = (more: object) => ({
    type: 'DefaultErrorHandler',
    response_filters: [{ type: 'HttpResponseFilter', ...more }],
  });
  server.api = failing(9, 404);
  t.strictSame(dataOf(await read(handled(filter({ action: 'IGNORE', http_codes: [404] })), port)), []);
  server.api = () => ({ json: { data: [], error: 'gone' } });
  const failed = await read(
    handled(filter({ action: 'FAIL', predicate: "{{ 'error' in response }}", failure_type: 'transient_error' })),
    port,
  );
  t.match(errorOf(failed), { failure_type: 'transient_error', hint: /response_filters\/0: / });
});

t.test('a budget of requests is kept to', async (t) => {
  const budget = (policy: object) => ({ api_budget: { type: 'HTTPAPIBudget', policies: [policy] } });
  const pages = {
    paginator: {
      type: 'DefaultPaginator',
      pagination_strategy: { type: 'PageIncrement', page_size: 1 },
      page_token_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'page' },
    },
  };
  server.api = ({ query }) => ({
    json: { data: Number(query.get('page') ?? 0) < 4 ? [{ id: query.get('page') }] : [] },
  });
  for (const [policy, wanted] of [
    [{ type: 'FixedWindowCallRatePolicy', period: 'PT10S', call_limit: 2, matchers: [] }, [10_000, 10_000]],
    [
      { type: 'MovingWindowCallRatePolicy', rates: [{ type: 'Rate', limit: 4, interval: 'PT1M' }], matchers: [] },
      [60_000],
    ],
    [
      {
        type: 'FixedWindowCallRatePolicy',
        period: 'PT10S',
        call_limit: 1,
        matchers: [{ type: 'HttpRequestRegexMatcher', url_path_pattern: '/other' }],
      },
      [],
    ],
  ] as const) {
    waits.length = 0;
    const said = await read(configOf(url, manifest({ retriever: retriever({}, pages) }, budget(policy))), port);
    t.strictSame([dataOf(said).length, waits], [4, wanted]);
  }
});

t.test('what is not interpreted is refused by name when the manifest is loaded, with its place', async (t) => {
  const cases: [object | undefined, string, RegExp][] = [
    [undefined, 'manifest_missing', /manifest/],
    [
      manifest({ retriever: { type: 'AsyncRetriever' } }),
      'manifest_unsupported',
      /^\/streams\/0\/retriever: AsyncRetriever/,
    ],
    [
      manifest({ retriever: retriever({ authenticator: { type: 'CustomAuthenticator', class_name: 'x' } }) }),
      'manifest_unsupported',
      /authenticator: CustomAuthenticator/,
    ],
    [
      manifest({ retriever: retriever(), state_migrations: [] }),
      'manifest_unsupported',
      /^\/streams\/0\/state_migrations: /,
    ],
    [
      manifest({ retriever: retriever({ path: '{{ secrets.x }}' }) }),
      'manifest_invalid',
      /requester\/path: character \d+: there is no secrets here/,
    ],
    [manifest({ retriever: retriever({ path: '{{ now_utc( }}' }) }), 'manifest_invalid', /requester\/path: character/],
    [
      manifest({ retriever: '#/definitions/gone' as never }),
      'manifest_invalid',
      /^\/streams\/0\/retriever: a reference leads nowhere/,
    ],
    [
      manifest({ retriever: { $ref: '#/definitions/a' } }, { definitions: { a: { $ref: '#/definitions/a' } } }),
      'manifest_invalid',
      /leads to itself/,
    ],
    [manifest({}), 'manifest_invalid', /^\/streams\/0: retriever is missing/],
    [{ ...manifest({ retriever: retriever() }), dynamic_streams: [] }, 'manifest_unsupported', /^\/dynamic_streams: /],
  ];
  for (const [given, code, hint] of cases) {
    const { messages } = await run('check', { config: configOf(url, given) }, [port]);
    t.match(messages[0].connectionStatus, { status: 'FAILED', code, hint }, code);
  }
});
