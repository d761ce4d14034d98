import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type KeptEntry, readLogQuery } from './log-query-reader.ts';

/** Loki's own limit of entries in an answer (limits_config: max_entries_limit_per_query). */
const MAX_ENTRIES = 5_000;
/** What parts of Loki take of each other (grpc_server_max_recv_msg_size); whoever asked for more waits in vain there. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const NS_PER_SECOND = 1_000_000_000n;
const COUNT = /^sum by \(([\w, ]+)\) \(count_over_time\((.*) \[(\d+)s\]\)\)$/;

/** A server that speaks the part of Loki's HTTP API that a log store uses. */
export interface FakeLoki {
  readonly url: string;
  /** While set, every call is answered with this status. */
  failing: number | undefined;
  /** Every set of labels that a tenant's entries stand under. */
  streams(tenantId: string): string[];
  close(): Promise<void>;
}

/** Starts a fake of Loki on a port of its own; with a token it wants that token. */
export async function fakeLoki({ token }: { token?: string } = {}): Promise<FakeLoki> {
  const kept = new Map<string, Map<string, KeptEntry>>();
  const names = new Map<string, Set<string>>();
  const fake: FakeLoki = {
    url: '',
    failing: undefined,
    streams: (tenantId) => [...(names.get(tenantId) ?? [])],
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown = '') => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(status === 204 ? '' : JSON.stringify(body));
    };
    const tenantId = request.headers['x-scope-orgid'];
    if (fake.failing !== undefined) return answer(fake.failing);
    if (typeof tenantId !== 'string') return answer(401, 'no org id');
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) return answer(401, 'no token');
    const entries = kept.get(tenantId) ?? new Map<string, KeptEntry>();
    kept.set(tenantId, entries);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://loki');
    const query = Object.fromEntries(searchParams);
    try {
      if (pathname === '/loki/api/v1/push') {
        const body = await bodyOf(request);
        if (isTooLarge(body)) return answer(500, 'message larger than max');
        for (const name of pushed(entries, body)) names.set(tenantId, (names.get(tenantId) ?? new Set()).add(name));
        answer(204);
      } else if (pathname === '/loki/api/v1/query_range') {
        const found = ranged([...entries.values()], query);
        answer(isTooLarge(found) ? 504 : 200, found);
      } else if (pathname === '/loki/api/v1/query') answer(200, counted([...entries.values()], query));
      else if (pathname === '/loki/api/v1/delete') {
        const test = readLogQuery(query.query ?? '');
        if (Date.parse(query.end ?? '') > Date.now()) return answer(400, 'deletes in the future are not allowed');
        for (const [key, entry] of entries) if (test(entry)) entries.delete(key);
        answer(204);
      } else answer(404);
    } catch (error) {
      answer(400, String(error));
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(fake, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const isTooLarge = (message: unknown): boolean => Buffer.byteLength(JSON.stringify(message)) > MAX_MESSAGE_BYTES;

interface Push {
  streams: { stream: Record<string, string>; values: [string, string, Record<string, string>?][] }[];
}

/** Keeps entries; one with the same labels, time and line is the same. Answers the streams. */
function pushed(entries: Map<string, KeptEntry>, { streams }: Push): string[] {
  return streams.map(({ stream, values }) => {
    for (const [at, line, metadata] of values) {
      const labels = { ...stream, ...metadata };
      entries.set(JSON.stringify([labels, at, line]), { at: BigInt(at), line, labels });
    }
    return JSON.stringify(stream);
  });
}

function ranged(entries: readonly KeptEntry[], query: Record<string, string>) {
  const { start = '0', end = '0', limit = '100', direction = 'backward' } = query;
  if (Number(limit) > MAX_ENTRIES) throw new Error('max entries limit per query exceeded');
  const test = readLogQuery(query.query ?? '');
  const order = direction === 'forward' ? 1 : -1;
  const result = entries
    .filter((entry) => entry.at >= BigInt(start) && entry.at < BigInt(end) && test(entry))
    .toSorted((one, other) => (one.at < other.at ? -order : one.at > other.at ? order : 0))
    .slice(0, Number(limit))
    .map(({ at, line, labels }) => ({ stream: labels, values: [[String(at), line]] }));
  return { status: 'success', data: { resultType: 'streams', result } };
}

function counted(entries: readonly KeptEntry[], { query = '', time = '0' }: Record<string, string>) {
  const [, by = '', inner = '', seconds = '0'] = COUNT.exec(query) ?? [];
  const test = readLogQuery(inner);
  const [end, length] = [BigInt(time), BigInt(seconds) * NS_PER_SECOND];
  const names = by.split(',').map((name) => name.trim());
  const found = entries.filter((entry) => entry.at > end - length && entry.at <= end && test(entry));
  const groups = Map.groupBy(found, ({ labels }) => JSON.stringify(names.map((name) => [name, labels[name]])));
  const result = [...groups].map(([metric, group]) => ({
    metric: Object.fromEntries(JSON.parse(metric)),
    value: [Number(end / NS_PER_SECOND), String(group.length)],
  }));
  return { status: 'success', data: { resultType: 'vector', result } };
}

async function bodyOf(request: IncomingMessage): Promise<Push> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as Push;
}
