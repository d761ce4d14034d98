import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { indexedText, indexedTexts } from '../src/model/entity/key.ts';

/** An ontology service in memory that speaks the contract of `docs/reference/ontology-service.md`, for the HTTP adapter. */

interface Item {
  key: string;
  properties: Record<string, unknown>;
  links: { relationship: string; target_type: string; target_key: string }[];
  row_hash: string;
}
interface Kept extends Item {
  type_version: number;
  run_id: string;
  updated_at: string;
  indexed: string[];
}
interface Job {
  job_id: string;
  operation: string;
  submitted: number;
  completed: number;
  written: number;
  errors: object[];
  digest: string;
  looks: number;
}
interface Bulk {
  run_id: string;
  seq: number;
  operation: 'upsert' | 'delete';
  digest: string;
  type: { code: string; version: number; indexed: string[] };
  submitted: number;
  left_out: object[];
  items?: Item[];
  keys?: string[];
}
interface TenantData {
  types: Map<string, object>;
  entities: Map<string, Map<string, Kept>>;
  jobs: Map<string, Job>;
}

/** What befalls a request; `lost` after its work was done. */
export type Fate = 'served' | 'lost' | 'limited' | 'large';

export interface OntologyService {
  url: string;
  key: string;
  /** `<method> <path>` of every request. */
  seen: string[];
  /** Applied chunks, by what made them. */
  applied: string[];
  /** Decides over the next requests. */
  choose(fate: (request: string, at: number) => Fate): void;
  /** Looks at a job after which it is done, also at those that are there. */
  setSlowness(looks: number): void;
  addTenant(id: string): void;
  setType(tenant: string, type: { code: string; version: number } & object): void;
  /** Refuses items of these keys. */
  refuse(...keys: string[]): void;
  entities(tenant: string, type: string): Record<string, unknown>;
  close(): Promise<void>;
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

export async function startOntologyService({
  key = 'CNRY-api-key',
  tenants = [] as string[],
} = {}): Promise<OntologyService> {
  const data = new Map<string, TenantData>();
  const seen: string[] = [];
  const applied: string[] = [];
  const refused = new Set<string>();
  let fateOf: (request: string, at: number) => Fate = () => 'served';
  let slowness = 0;
  const addTenant = (id: string) => void data.set(id, { types: new Map(), entities: new Map(), jobs: new Map() });
  for (const id of tenants) addTenant(id);

  const take = (own: TenantData, { type, ...bulk }: Bulk): Omit<Job, 'job_id' | 'digest' | 'looks'> => {
    const kept = own.entities.get(type.code) ?? new Map<string, Kept>();
    own.entities.set(type.code, kept);
    applied.push(`${bulk.run_id}:${bulk.operation}:${bulk.seq}`);
    const { operation, submitted, left_out } = bulk;
    if (operation === 'delete') {
      const written = (bulk.keys ?? []).filter((one) => kept.delete(one)).length;
      return { operation, submitted, completed: bulk.keys?.length ?? 0, written, errors: left_out };
    }
    const good = (bulk.items ?? []).filter((one) => !refused.has(one.key));
    let written = 0;
    for (const item of good) {
      const before = kept.get(item.key);
      if (before?.row_hash === item.row_hash && before.type_version === type.version) continue;
      written += 1;
      const updated_at = new Date().toISOString();
      kept.set(item.key, {
        ...item,
        type_version: type.version,
        run_id: bulk.run_id,
        updated_at,
        indexed: type.indexed,
      });
    }
    const errors = [
      ...left_out,
      ...Array.from({ length: (bulk.items?.length ?? 0) - good.length }, () => ({
        key_hash: '0'.repeat(16),
        code: 'new',
      })),
    ];
    return { operation, submitted, completed: good.length, written, errors };
  };

  const bulk = (own: TenantData, body: Bulk, idempotencyKey: string): Reply => {
    const known = own.jobs.get(idempotencyKey);
    if (known !== undefined) return known.digest === body.digest ? [202, shown(known)] : [409, { code: 'changed' }];
    const job = { ...take(own, body), job_id: idempotencyKey, digest: body.digest, looks: slowness };
    own.jobs.set(idempotencyKey, job);
    return [202, shown(job)];
  };
  const shown = ({ digest: _, looks, ...job }: Job) =>
    looks > 0 ? { ...job, completed: 0, written: 0, errors: [], state: 'pending' } : { ...job, state: 'done' };

  const route = (
    own: TenantData,
    method: string,
    url: URL,
    body: unknown,
    headers: IncomingMessage['headers'],
  ): Reply => {
    const [, , noun, name = '', , version] = url.pathname.split('/').map(decodeURIComponent);
    const query = url.searchParams;
    if (noun === 'tenants') return [200, { id: name }];
    if (noun === 'entity-types' && method === 'PUT') {
      own.types.set(`${name} ${version}`, body as object);
      return [200, body as object];
    }
    const type = own.types.get(`${name} ${query.get('version')}`);
    if (noun === 'entity-types') return type === undefined ? MISSING : [200, type];
    if (noun === 'bulk-jobs' && method === 'POST') return bulk(own, body as Bulk, String(headers['idempotency-key']));
    if (noun === 'bulk-jobs') {
      const job = own.jobs.get(name);
      if (job === undefined) return MISSING;
      job.looks -= 1;
      return [200, shown(job)];
    }
    if (noun === 'entities') return [200, { items: entitiesOf(own, name, query) }];
    if (noun === 'links') return [200, { items: linksOf(own, query) }];
    if (noun === 'link-counts') return [200, { items: countsOf(own, query) }];
    return MISSING;
  };

  const server = createServer(async (request, answer) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const url = new URL(request.url ?? '/', 'http://service');
    const named = `${request.method} ${url.pathname}`;
    seen.push(named);
    const fate = fateOf(named, seen.length);
    if (fate === 'limited') return send(answer, [429, { code: 'slow_down' }], { 'retry-after': '0' });
    if (fate === 'large') return void answer.end(`{"items":["${'x'.repeat(11 * 1024 * 1024)}"]}`);
    const tenant = decodeURIComponent(String(request.headers['x-tenant-id'] ?? ''));
    const own = data.get(tenant);
    const reply: Reply =
      request.headers['x-api-key'] !== key
        ? [401, { code: 'unauthorized', detail: `not ${request.headers['x-api-key']}` }]
        : url.pathname === '/v1/status'
          ? [200, { status: 'ok' }]
          : own === undefined
            ? MISSING
            : route(own, String(request.method), url, text === '' ? undefined : JSON.parse(text), request.headers);
    if (fate === 'lost') return void request.socket.destroy();
    send(answer, reply);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key, seen, applied, addTenant },
    choose: (fate) => {
      fateOf = fate;
    },
    setSlowness: (looks) => {
      slowness = looks;
      for (const { jobs } of data.values()) for (const job of jobs.values()) job.looks = looks;
    },
    setType: (tenant, type) => void data.get(tenant)?.types.set(`${type.code} ${type.version}`, type),
    refuse: (...keys) => {
      for (const one of keys) refused.add(one);
    },
    entities: (tenant, type) =>
      Object.fromEntries(
        [...(data.get(tenant)?.entities.get(type)?.values() ?? [])].map((one) => [one.key, one.properties]),
      ),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Reply = [status: number, body: object];
const MISSING: Reply = [404, { code: 'not_found' }];

function send(answer: ServerResponse, [status, body]: Reply, headers: Record<string, string> = {}): void {
  answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function entitiesOf(own: TenantData, type: string, query: URLSearchParams): object[] {
  const all = [...(own.entities.get(type)?.values() ?? [])].sort((a, b) => byText(a.key, b.key));
  const exact = query.get('key');
  if (exact !== null) return all.filter(({ key }) => key === exact);
  const isDown = query.get('order') === '-key';
  const after = query.get('after');
  const filters = [...query].flatMap(([name, value]) =>
    name.startsWith('filter.') ? [[name.slice(7), value] as const] : [],
  );
  return (isDown ? all.toReversed() : all)
    .filter(({ key }) => after === null || (isDown ? key < after : key > after))
    .filter(({ indexed, properties }) =>
      filters.every(
        ([name, value]) => indexed.includes(name) && indexedTexts(properties[name]).includes(indexedText(value)),
      ),
    )
    .slice(0, Number(query.get('limit')));
}

function* linksIn(own: TenantData) {
  for (const [type, entities] of own.entities)
    for (const { key, links } of entities.values()) for (const link of links) yield { type, key, ...link };
}

function linksOf(own: TenantData, query: URLSearchParams): object[] {
  const [type, key, relationship] = ['type', 'key', 'relationship'].map((name) => query.get(name));
  const isOut = query.get('direction') === 'out';
  const after = JSON.stringify([query.get('after_type'), query.get('after_key')]);
  const far = [...linksIn(own)]
    .filter((link) => link.relationship === relationship)
    .filter((link) =>
      isOut ? link.type === type && link.key === key : link.target_type === type && link.target_key === key,
    )
    .map((link) => (isOut ? { type: link.target_type, key: link.target_key } : { type: link.type, key: link.key }));
  const places = new Map(far.map((one) => [JSON.stringify([one.type, one.key]), one]));
  return [...places]
    .sort(([a], [b]) => byText(a, b))
    .filter(([place]) => place > after)
    .slice(0, Number(query.get('limit')))
    .map(([, one]) => ({ ...one, properties: own.entities.get(one.type)?.get(one.key)?.properties ?? null }));
}

function countsOf(own: TenantData, query: URLSearchParams): object[] {
  const [type, key] = [query.get('type'), query.get('key')];
  const found = [...linksIn(own)].flatMap((link) => [
    ...(link.type === type && link.key === key ? [['out', link.relationship, link.target_type]] : []),
    ...(link.target_type === type && link.target_key === key ? [['in', link.relationship, link.type]] : []),
  ]);
  const counts = Map.groupBy(found, (one) => JSON.stringify(one));
  return [...counts].map(([text, all]) => {
    const [direction, relationship, far] = JSON.parse(text) as string[];
    return { direction, relationship, type: far, count: all.length };
  });
}
