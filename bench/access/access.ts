import { Agent, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { apiProcess } from '../../test/api-process.ts';
import type { BenchOptions, BenchResult } from '../bench-result.ts';
import { percentile } from '../measure/percentile.ts';
import { type PlatformProcess, withPlatform } from '../platform-process.ts';

const PAIRS = 3_000;
const QUICK_PAIRS = 200;
/** Pairs before those that count: compilers and pools get warm. */
const WARMING = 500;
const MOST_MS = 1;
const OPEN_API = fileURLToPath(new URL('open-api.ts', import.meta.url));
const PLATFORM = fileURLToPath(new URL('../../platform.json', import.meta.url));
/** In force, and asked of every call that it is about. */
const FORBID = `@id("admins-only") forbid (principal, action in Action::"sources:read", resource) unless { principal.roles.contains("admin") };`;

interface Contender {
  url: URL;
  headers: Record<string, string>;
  agent: Agent;
}

/**
 * What it costs a read that callers and tenants are kept apart: `GET /sources/{id}` with token, tenant, role, an access
 * policy in force, limits and row security, beside the same program that asks nobody and reads past the tenant wall. One
 * request after the other, to each in turn, whose first changes from pair to pair.
 */
export async function access({ quick }: BenchOptions): Promise<BenchResult> {
  return withPlatform(
    async (platform, t) => {
      const { environment, database } = platform;
      const system = { DB_USER: database.system.user, DB_PASSWORD: database.system.password };
      const open = await apiProcess(t, { ...environment, ...system }, OPEN_API);
      const sides = await contenders(platform, open.url);
      await pairs(sides, quick ? QUICK_PAIRS : WARMING);
      const times = await pairs(sides, quick ? QUICK_PAIRS : PAIRS);
      for (const { agent } of sides) agent.destroy();
      const [own, without] = times.map((list) => ({ p50: percentile(list, 0.5), p99: percentile(list, 0.99) }));
      const { p50 = Number.NaN } = own ?? {};
      return {
        suite: 'access',
        cases: [
          { case: 'with', marks_ms: own ?? {} },
          { case: 'without', marks_ms: without ?? {} },
          {
            case: 'authorisation, tenant session and policy',
            marks_ms: { 'p50 more': p50 - (without?.p50 ?? Number.NaN) },
            bars: [{ figure: 'p50 more', most: MOST_MS }],
          },
        ],
      };
    },
    { WEIR_PLATFORM: PLATFORM },
  );
}

/** How many milliseconds each answer took, of each of the two. */
async function pairs(sides: readonly [Contender, Contender], count: number): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let pair = 0; pair < count; pair += 1)
    for (const at of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) times[at].push(await timed(sides[at]));
  return times;
}

function timed({ url, headers, agent }: Contender): Promise<number> {
  const sent = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url.pathname} answers ${answer.statusCode}`));
      answer.resume().once('end', () => resolve(performance.now() - sent));
    }).once('error', reject);
  });
}

async function contenders({ api, caller }: PlatformProcess, openUrl: string): Promise<[Contender, Contender]> {
  const made = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { ...caller, 'content-type': 'application/json' };
    const answer = await fetch(new URL(path, api.url), { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const policy = { name: 'bench', kind: 'access', status: 'active', document: { cedar: FORBID } };
  await made('/api/v1/identity-policies', policy);
  const source = { name: 'shop', pattern_id: 'files', source_config: { path: '/tmp' } };
  const { source_id } = await made('/api/v1/sources', source);
  const at = (url: string): Contender => ({
    url: new URL(`/api/v1/sources/${source_id}`, url),
    headers: caller,
    agent: new Agent({ keepAlive: true }),
  });
  return [at(api.url), at(openUrl)];
}
