import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { BenchResult } from './bench-result.ts';
import { type PlatformProcess, withPlatform } from './platform-process.ts';

const PER_SECOND = 200;
const ROUNDS = 20;
const REQUESTS_PER_ROUND = 200;
const BARE = fileURLToPath(new URL('bare-route.ts', import.meta.url));

interface Contender {
  url: URL;
  headers: Record<string, string>;
}

/**
 * `GET /sources/{id}` with token, tenant, role and row security beside bare Fastify routes that send the same query:
 * 200 requests a second to one after the other, in rounds of a second that take turns. Differences and ratios are medians
 * over the rounds of what one round's p50 has over the p50 of the bare route next to it.
 */
export async function api(): Promise<BenchResult> {
  return withPlatform(async (platform) => {
    const bare = fork(BARE, {
      execArgv: ['--conditions=@weir/source'],
      env: { ...process.env, BARE_DATABASE_URL: platform.database.superuserUrl },
    });
    try {
      const [{ url }] = (await once(bare, 'message')) as [{ url: string }];
      return resultOf(await rounds(await contend(platform, url)));
    } finally {
      bare.kill();
    }
  });
}

type Rounds = Record<string, number[][]>;

async function rounds(contenders: Record<string, Contender>): Promise<Rounds> {
  const times: Rounds = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, contender] of Object.entries(contenders)) {
      const measured = await paced(contender);
      // The first round warms compilers and pools.
      if (round > 0) times[name]?.push(measured);
    }
  }
  return times;
}

function resultOf(times: Rounds): BenchResult {
  const { weir = [], plain = [], walled = [] } = times;
  const over = (title: string, theirs: number[][]) => ({
    case: title,
    marks_ms: { 'p50 more': median(paired(weir, theirs, (a, b) => a - b)) },
    ratio: median(paired(weir, theirs, (a, b) => a / b)),
  });
  const own = Object.entries(times).map(([name, lists]) => ({ case: name, marks_ms: percentiles(lists.flat()) }));
  return { suite: 'api', cases: [...own, over('weir over plain', plain), over('weir over walled', walled)] };
}

async function contend(
  { api, caller, database }: PlatformProcess,
  bareUrl: string,
): Promise<Record<string, Contender>> {
  const headers = { ...caller, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'shop', pattern_id: 'files', source_config: { path: '/tmp' } });
  const made = await fetch(new URL('/api/v1/sources', api.url), { method: 'POST', headers, body });
  const { source_id } = (await made.json()) as { source_id?: string };
  if (source_id === undefined) throw new Error(`no source was made: ${made.status}`);
  const [tenant] = await database.peek(`select tenant_id from kernel.tenant where alias = 'acme'`);
  const bareRoute = (kind: string) => ({
    url: new URL(`/${kind}/${tenant?.tenant_id}/${source_id}`, bareUrl),
    headers: {},
  });
  return {
    weir: { url: new URL(`/api/v1/sources/${source_id}`, api.url), headers: caller },
    plain: bareRoute('plain'),
    walled: bareRoute('walled'),
  };
}

/** One round: requests at their times, whatever the answers take; answers how many milliseconds each took. */
async function paced({ url, headers }: Contender): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const begun = performance.now();
  const answers: Promise<number>[] = [];
  for (let sent = 0; sent < REQUESTS_PER_ROUND; sent += 1) {
    const wait = begun + (sent * 1000) / PER_SECOND - performance.now();
    if (wait > 0) await new Promise((resume) => setTimeout(resume, wait));
    answers.push(timed(url, headers, agent));
  }
  const times = await Promise.all(answers);
  agent.destroy();
  return times;
}

function timed(url: URL, headers: Record<string, string>, agent: Agent): Promise<number> {
  const sent = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url.pathname} answers ${answer.statusCode}`));
      answer.resume().once('end', () => resolve(performance.now() - sent));
    }).once('error', reject);
  });
}

function percentiles(times: readonly number[]): Record<string, number> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

const median = (values: readonly number[]): number => percentiles(values).p50 ?? 0;

function paired(ours: number[][], theirs: number[][], compare: (a: number, b: number) => number): number[] {
  return ours.map((times, round) => compare(median(times), median(theirs[round] ?? [])));
}
