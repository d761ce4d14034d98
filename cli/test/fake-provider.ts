import { createServer } from 'node:http';
import type { Test } from 'tap';

/** What a provider answers to one call: a status and JSON, or any text with its type. */
export interface Said {
  status?: number;
  json?: unknown;
  text?: string;
  type?: string;
  headers?: Record<string, string>;
  /** Nothing is answered, and the connection is cut. */
  cut?: boolean;
}

type Answer = Said | ((form: URLSearchParams, nth: number) => Said | Promise<Said>);

/** The calls of a provider that a test may answer otherwise. */
export interface Answers {
  discovery?: Answer;
  device?: Answer;
  token?: Answer;
  revocation?: Answer;
}

export interface FakeProvider {
  issuer: string;
  /** Forms by call, in order. */
  seen: { call: keyof Answers; form: URLSearchParams }[];
  answers: Answers;
  stop(): Promise<void>;
}

/** A token whose claims can be read; nobody here checks its signature. */
export const tokenOf = (claims: object): string =>
  [{ alg: 'RS256' }, claims, 'signature']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');

export const ADA = { sub: 'ada', preferred_username: 'ada@acme', azp: 'weir-cli', organization: ['acme'] };

const PATHS: Record<string, keyof Answers> = {
  '/.well-known/openid-configuration': 'discovery',
  '/device': 'device',
  '/token': 'token',
  '/revoke': 'revocation',
};

/** An identity provider as a port: it gives everybody a session at once, unless a test lets it answer otherwise. */
export async function fakeProvider(t: Test, answers: Answers = {}): Promise<FakeProvider> {
  const seen: FakeProvider['seen'] = [];
  const usual = (issuer: string): Required<Answers> => ({
    discovery: {
      json: {
        issuer,
        token_endpoint: `${issuer}/token`,
        device_authorization_endpoint: `${issuer}/device`,
        revocation_endpoint: `${issuer}/revoke`,
        scopes_supported: ['openid', 'organization'],
      },
    },
    device: {
      json: {
        device_code: 'the-device-code',
        user_code: 'ABCD-EFGH',
        verification_uri: `${issuer}/look`,
        expires_in: 600,
        interval: 0.1,
      },
    },
    token: (_form, nth) => ({
      json: {
        access_token: tokenOf({ ...ADA, nth }),
        refresh_token: `refresh-${nth}`,
        token_type: 'Bearer',
        expires_in: 300,
      },
    }),
    revocation: { text: '' },
  });
  const server = createServer(async (request, response) => {
    const call = PATHS[request.url ?? ''];
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (call === undefined) return void response.writeHead(404).end();
    const form = new URLSearchParams(Buffer.concat(parts).toString());
    seen.push({ call, form });
    const answer = fake.answers[call] ?? usual(issuer)[call];
    const nth = seen.filter((each) => each.call === call).length;
    const said = typeof answer === 'function' ? await answer(form, nth) : answer;
    if (said.cut) return void request.socket.destroy();
    const type = said.type ?? (said.json === undefined ? 'text/plain' : 'application/json');
    response.writeHead(said.status ?? 200, { 'content-type': type, ...said.headers });
    response.end(said.json === undefined ? (said.text ?? '') : JSON.stringify(said.json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const issuer = `http://127.0.0.1:${address.port}`;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  t.teardown(stop);
  const fake: FakeProvider = { issuer, seen, answers, stop };
  return fake;
}

/** The document of an API whose people sign in at a provider. */
export const signInDocument = (issuer: string, more: object = {}) => ({
  status: 200,
  body: {
    components: {
      securitySchemes: {
        bearer: { 'x-sign-in': { issuer, client_id: 'weir-cli', organization_claim: 'organization', ...more } },
      },
    },
  },
});
