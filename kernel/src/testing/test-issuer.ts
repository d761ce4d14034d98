import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** The part of a tap test that the kit needs. */
export interface Teardown {
  teardown(work: () => unknown): void;
}

/** An identity provider on loopback for tests: real keys, real discovery, tokens for whoever the test names. */
export interface TestIssuer {
  url: string;
  /** An access token of a user with roles in every named organization, for the client `weir-test` unless `claims` say otherwise. */
  userToken(user: {
    subject?: string;
    organizations: string[];
    roles: string[];
    claims?: Record<string, unknown>;
  }): Promise<string>;
  /** An access token of a service client named in `WEIR_SERVICE_PRINCIPALS`. */
  serviceToken(client: string): Promise<string>;
}

const LIFETIME_S = 3600;
export const TEST_AUDIENCE = 'weir-api';

/** Starts the provider; it stops with the test. */
export async function testIssuer(t: Teardown): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256', use: 'sig' }] };
  const server = createServer((request, response) => {
    const document = request.url === '/keys' ? keys : { issuer: url, jwks_uri: `${url}/keys` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const sign = (claims: Record<string, unknown>, subject: string) => {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ typ: 'Bearer', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'test' })
      .setIssuer(url)
      .setAudience(TEST_AUDIENCE)
      .setSubject(subject)
      .setIssuedAt(now)
      .setExpirationTime(now + LIFETIME_S)
      .sign(privateKey);
  };
  return {
    url,
    userToken: ({ subject = 'test-user', organizations, roles, claims }) =>
      sign({ azp: 'weir-test', organization: organizations, realm_access: { roles }, ...claims }, subject),
    serviceToken: (client) => sign({ azp: client }, client),
  };
}
