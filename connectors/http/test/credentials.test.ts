import { createHmac } from 'node:crypto';
import t from 'tap';
import { type Api, configOf, dataOf, errorOf, manifest, read, retriever, run, serve } from './kit.ts';

const server = await serve();
const { port, url } = server;
const of = (authenticator: object) => manifest({ retriever: retriever({ authenticator }) });
const answer = (fits: boolean) => (fits ? { json: { data: [{ id: 1 }] } } : { status: 401, json: { error: 'no' } });
const header = (field_name: string) => ({ type: 'RequestOption', inject_into: 'header', field_name });

const oauth = (more: object = {}) => ({
  type: 'OAuthAuthenticator',
  token_refresh_endpoint: "{{ config['url'] }}/token",
  client_id: "{{ config['client_id'] }}",
  client_secret: "{{ config['client_secret'] }}",
  ...more,
});
const client = { client_id: 'the client', client_secret: 'se&cret' };

t.test('each kind of credentials goes where it belongs', async (t) => {
  const cases: [string, object, object, Api][] = [
    ['none', { type: 'NoAuth' }, {}, ({ headers }) => answer(headers.authorization === undefined)],
    [
      'a key in the query',
      {
        type: 'ApiKeyAuthenticator',
        api_token: "{{ config['key'] }}",
        inject_into: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'k' },
      },
      { key: 'a&b' },
      ({ query }) => answer(query.get('k') === 'a&b'),
    ],
    [
      'a key in a header',
      { type: 'ApiKeyAuthenticator', api_token: "{{ config['key'] }}", header: 'X-Key' },
      { key: '0123' },
      ({ headers }) => answer(headers['x-key'] === '0123'),
    ],
    [
      'basic',
      { type: 'BasicHttpAuthenticator', username: "{{ config['key'] }}" },
      { key: 'user' },
      ({ headers }) => answer(headers.authorization === `Basic ${btoa('user:')}`),
    ],
    [
      'a choice',
      {
        type: 'SelectiveAuthenticator',
        authenticator_selection_path: ['auth', 'kind'],
        authenticators: {
          token: { type: 'BearerAuthenticator', api_token: "{{ config['auth']['token'] }}" },
          none: { type: 'NoAuth' },
        },
      },
      { auth: { kind: 'token', token: 'chosen' } },
      ({ headers }) => answer(headers.authorization === 'Bearer chosen'),
    ],
    [
      'a login',
      {
        type: 'SessionTokenAuthenticator',
        login_requester: {
          type: 'HttpRequester',
          url_base: "{{ config['url'] }}",
          path: '/login',
          http_method: 'POST',
          request_body_json: { word: "{{ config['word'] }}" },
        },
        session_token_path: ['session', 'id'],
        request_authentication: { type: 'SessionTokenRequestApiKeyAuthenticator', inject_into: header('X-Session') },
      },
      { word: 'open' },
      ({ path, body, headers }) =>
        path === '/login'
          ? { json: { session: { id: JSON.parse(body).word === 'open' ? 's1' : '' } } }
          : answer(headers['x-session'] === 's1'),
    ],
    [
      'a signed token',
      {
        type: 'JwtAuthenticator',
        secret_key: "{{ config['key'] }}",
        algorithm: 'HS256',
        header_prefix: 'Bearer',
        additional_jwt_payload: { iss: 'me' },
      },
      { key: 'signing' },
      ({ headers }) => {
        const [head = '', claims = '', signed] = (headers.authorization ?? '').replace('Bearer ', '').split('.');
        const isOurs = JSON.parse(Buffer.from(claims, 'base64url').toString()).iss === 'me';
        return answer(
          isOurs && createHmac('sha256', 'signing').update(`${head}.${claims}`).digest('base64url') === signed,
        );
      },
    ],
    [
      'a client of its own',
      oauth({ grant_type: 'client_credentials', scopes: ['a', 'b'] }),
      client,
      ({ path, body, headers }) => {
        const form = new URLSearchParams(body);
        const isClient = form.get('client_secret') === 'se&cret' && form.get('grant_type') === 'client_credentials';
        if (path === '/token')
          return isClient ? { json: { access_token: 'at', expires_in: 3600 } } : { status: 400, json: {} };
        return answer(headers.authorization === 'Bearer at');
      },
    ],
  ];
  for (const [name, authenticator, more, api] of cases) {
    server.api = api;
    const said = await read(configOf(url, of(authenticator), more), port);
    t.strictSame([said.code, dataOf(said)], [0, [{ id: 1 }]], `${name} ${JSON.stringify(errorOf(said) ?? '')}`);
  }
});

t.test('a refresh token that the server replaces is told before it is used, and used from then on', async (t) => {
  const seen: string[] = [];
  let turn = 0;
  server.api = ({ path, body, headers }) => {
    if (path !== '/token') return answer(headers.authorization === `Bearer at${turn}`);
    seen.push(new URLSearchParams(body).get('refresh_token') ?? '');
    turn += 1;
    return { json: { access_token: `at${turn}`, refresh_token: `rt${turn}`, expires_in: 3600 } };
  };
  const rotating = of(oauth({ refresh_token_updater: { refresh_token_config_path: ['auth', 'refresh'] } }));
  const config = configOf(url, rotating, { ...client, auth: { refresh: 'rt0', kind: 'x' } });
  const said = await read(config, port);
  t.equal(said.code, 0, JSON.stringify(errorOf(said) ?? ''));
  const controls = said.messages.filter(({ type }) => type === 'CONTROL');
  t.strictSame(
    controls.map(({ control }) => [control.type, control.connectorConfig.config]),
    [['CONNECTOR_CONFIG', { url, ...client, auth: { refresh: 'rt1', kind: 'x' } }]],
    'the manifest is no part of it',
  );
  t.ok(
    said.messages.findIndex(({ type }) => type === 'CONTROL') <
      said.messages.findIndex(({ type }) => type === 'RECORD'),
  );
  t.strictSame(seen, ['rt0']);
  const checked = await run('check', { config }, [port]);
  t.ok(
    checked.messages.some(({ type }) => type === 'CONTROL'),
    'a check tells it too',
  );
});

t.test('what a server says of credentials that it refuses is told by a code, and no secret with it', async (t) => {
  const secret = 'cnry-0123456789';
  server.api = ({ path, headers, body }) => ({
    status: path === '/token' ? 400 : 403,
    json: { echo: [headers, body] },
  });
  for (const [authenticator, code, at] of [
    [
      { type: 'BearerAuthenticator', api_token: "{{ config['key'] }}" },
      'request_unauthorized',
      '/streams/0/retriever/requester',
    ],
    [
      oauth({ grant_type: 'client_credentials', client_secret: "{{ config['key'] }}" }),
      'token_refused',
      '/streams/0/retriever/requester/authenticator/token_refresh_endpoint',
    ],
  ] as const) {
    const said = await read(configOf(url, of(authenticator), { ...client, key: secret }), port);
    t.match(errorOf(said), { internal_message: code, failure_type: 'config_error', origin: 'config' });
    t.ok(errorOf(said).hint.startsWith(`${at}: `), errorOf(said).hint);
    t.notMatch(said.raw, new RegExp(secret));
  }
  const pasted = { type: 'BearerAuthenticator', api_token: "{{ config['key'] }}" };
  const broken = await read(configOf(url, of(pasted), { key: `${secret}\n` }), port);
  t.match(errorOf(broken), { internal_message: 'config_invalid', hint: /^\/streams\/0\/retriever\/requester: / });
  t.notMatch(broken.raw, new RegExp(secret));
});
