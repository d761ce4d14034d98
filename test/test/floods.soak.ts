import { Agent, request } from 'node:http';
import { fullPath } from '@weir/kernel/contract';
import { validateTransform } from '@weir/plugin-transforms/contract';
import t from 'tap';
import { apiProcess } from '../api-process.ts';
import { testPlatform } from '../platform.ts';

const RUNS = 5;
const CALLS = 40;
/** Reads of connections that a flood has at the same time. */
const CONNECTIONS = 190;
const SLOW = "select levenshtein(repeat('a',60000),repeat('b',60000)) as x";
/** How much longer the calls of another tenant may take under a flood. */
const FACTOR = 3;
const OCTETS = 'application/octet-stream';
const READS = ['/api/v1/sources', '/api/v1/datasets', '/api/v1/runs?limit=20'];

const world = await testPlatform(t, t.testdir());
const { url } = await apiProcess(t, world.environment);

interface Ask {
  token?: string;
  tenant?: string;
  method?: string;
  body?: string | Buffer;
  type?: string;
  agent: Agent;
}

/** One call over a connection of the agent; resolves with its status once the answer was read. */
function ask(
  path: string,
  { token, tenant, method = 'GET', body, type = 'application/json', agent }: Ask,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}`, 'x-tenant-id': tenant }),
      ...(body === undefined ? {} : { 'content-type': type }),
    };
    const sent = request(new URL(path, url), { method, headers, agent }, (answer) => {
      answer
        .resume()
        .once('end', () => resolve(answer.statusCode ?? 0))
        .once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Calls again and again over so many connections until it is stopped; answers how often each status came. */
function flood(connections: number, call: (agent: Agent, at: number) => Promise<number>) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const statuses = new Map<number, number>();
  let stopped = false;
  let at = 0;
  const loops = Array.from({ length: connections }, async () => {
    while (!stopped) {
      const status = await call(agent, at++).catch(() => 0);
      if (!stopped) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  return async () => {
    stopped = true;
    agent.destroy();
    await Promise.allSettled(loops);
    return Object.fromEntries(statuses);
  };
}

const p95 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? 0;
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const theirs = { token: await world.token('acme', 'viewer'), tenant: 'acme' };
const editors = { token: await world.token('acme', 'pipeline_editor'), tenant: 'acme' };
const ours = { token: await world.token('other', 'viewer'), tenant: 'other' };
// From another address than the floods, as a load balancer and other people are.
const calm = new Agent({ keepAlive: true, maxSockets: 2, localAddress: '127.0.0.2' });

/** The calls of the other tenant: how long they take, and those that were refused. */
async function measure(path: (at: number) => string, more: Partial<Ask> = {}) {
  const times: number[] = [];
  const refused: number[] = [];
  for (let at = 0; at < CALLS; at++) {
    const began = performance.now();
    const status = await ask(path(at), { ...ours, ...more, agent: calm });
    times.push(performance.now() - began);
    if (status !== 200) refused.push(status);
  }
  return { ms: p95(times), refused };
}

const reads = () => measure((at) => READS[at % READS.length] ?? '/');
const query = () => measure(() => '/api/v1/query', { method: 'POST', body: '{"sql":"select 1 as a"}' });
const validation = JSON.stringify({ sql: SLOW });

const FLOODS = [
  [
    '190 connections of reads',
    reads,
    () => flood(CONNECTIONS, (agent, at) => ask(READS[at % 3] ?? '/', { ...theirs, agent })),
  ],
  [
    '40 validations that run to their deadline',
    query,
    () =>
      flood(40, (agent) =>
        ask(`${fullPath(validateTransform)}`, { ...editors, method: 'POST', body: validation, agent }),
      ),
  ],
  [
    'uploads by the thousand',
    reads,
    () =>
      flood(8, (agent, at) =>
        ask(`/api/v1/uploads?name=${at}.csv`, { ...editors, method: 'POST', body: 'id\n1\n', type: OCTETS, agent }),
      ),
  ],
  ['64 event streams', reads, () => flood(64, (agent) => ask('/api/v1/events', { ...theirs, agent }))],
  [
    'strangers at the probes and the documents',
    () => measure((at) => (at % 4 === 0 ? '/ready' : (READS[at % 3] ?? '/'))),
    () => flood(24, (agent, at) => ask(['/ready', '/health', '/openapi.json'][at % 3] ?? '/', { agent })),
  ],
] as const;

for (const [name, look, begin] of FLOODS) {
  t.test(`${name} → the calls of another tenant take at most three times as long, and none is refused`, async (t) => {
    const factors: number[] = [];
    await look();
    for (let run = 0; run < RUNS; run++) {
      const alone = await look();
      const end = begin();
      await look();
      const under = await look();
      const statuses = await end();
      factors.push(under.ms / alone.ms);
      t.strictSame([alone.refused, under.refused], [[], []]);
      t.comment(`${Math.round(alone.ms)} ms alone, ${Math.round(under.ms)} ms under ${JSON.stringify(statuses)}`);
    }
    t.ok(median(factors) <= FACTOR, `${median(factors).toFixed(2)} times`);
  });
}
