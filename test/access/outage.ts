import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { testPlatform } from '../platform.ts';
import { startServices } from '../services.ts';
import { pace } from '../until.ts';

const USERS = 50;
const MINUTES = 15;
const SECOND_MS = 1_000;
/** Of the documents of the provider, while it is down. */
const MOST_FETCHES = 30;

/** A front of a provider that can go away: then it hangs up on whoever comes, and counts them. */
async function front() {
  const state = { issuer: '', down: false, fetches: 0 };
  const server = createServer(async (request, response) => {
    if (request.url === '/keys') response.end(await (await fetch(`${state.issuer}/keys`)).text());
    else response.end(JSON.stringify({ jwks_uri: `${url}/keys` }));
  });
  server.on('connection', (socket) => {
    if (!state.down) return;
    state.fetches += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fail = () => {
    state.down = true;
    server.closeAllConnections();
  };
  return { url, state, fail, close: () => server.close() };
}

/** Everybody asks once a second until the time is over, each at a moment of their own; answers how many got no 2xx but what. */
async function failures(url: string, tokens: readonly string[], endsAt: number): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const ask = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': 'acme' };
    const answer = await fetch(new URL('/api/v1/sources', url), { headers });
    const { code = 'none' } = (await answer.json()) as { code?: string };
    const what = `${answer.status} ${code}`;
    if (!answer.ok) found.set(what, (found.get(what) ?? 0) + 1);
  };
  const person = async (token: string, at: number) => {
    await pace((at * SECOND_MS) / tokens.length);
    while (Date.now() < endsAt) {
      const next = Date.now() + SECOND_MS;
      await ask(token);
      await pace(Math.max(0, next - Date.now()));
    }
  };
  await Promise.all(tokens.map(person));
  return found;
}

/**
 * `outage.ts [minutes]`: an API whose identity provider goes away, and fifty people who were seen before, each of whom asks
 * once a second. Exit 1 when one of them was refused, or the provider was asked too often.
 */
async function main([minutes = String(MINUTES)]: string[]): Promise<number> {
  const services = await startServices(process.env, (line) => void process.stderr.write(`${line}\n`));
  Object.assign(process.env, services.addresses);
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-outage-'));
  const ends: (() => unknown)[] = [];
  try {
    const provider = await front();
    ends.unshift(provider.close);
    const { api, issuer } = await testPlatform(
      { teardown: (end) => void ends.unshift(end) },
      folder,
      {},
      (platform) => {
        provider.state.issuer = platform.settings.IDP_URL;
        return { ...platform, settings: { ...platform.settings, IDP_URL: provider.url } };
      },
    );
    const user = (at: number) => ({ subject: `user-${at}`, organizations: ['acme'], roles: ['viewer'] });
    const tokens = await Promise.all(Array.from({ length: USERS }, (_, at) => issuer.userToken(user(at))));
    const before = await failures(api.url, tokens, Date.now() + SECOND_MS);
    provider.fail();
    const during = await failures(api.url, tokens, Date.now() + Number(minutes) * 60 * SECOND_MS);
    const { fetches } = provider.state;
    const refused = [...during].map(([what, count]) => `${count} of ${what}`).join(', ') || 'nobody';
    process.stdout.write(`${minutes} minutes without a provider: refused ${refused}, ${fetches} fetches\n`);
    return before.size === 0 && during.size === 0 && fetches <= MOST_FETCHES ? 0 : 1;
  } finally {
    for (const end of ends) await end();
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main(process.argv.slice(2));
