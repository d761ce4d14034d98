import type { Static, TSchema } from '@sinclair/typebox';
import { type Answer, type Caller, CallerError, type CallerRequest } from '@weir/caller';
import { kernelProblems } from '@weir/kernel/contract';
import { chunkDigest, itemFault, keyFault, storable } from '../../model/entity/key.ts';
import {
  type EntityChunk,
  MAX_CHUNK_ERRORS,
  type OntologyStore,
  type StoreCall,
  StoreFault,
} from '../../model/entity/store.ts';
import * as wire from './http-wire.ts';

/** Entities of a bulk job. */
const MAX_CHUNK = 5_000;
/** Bound of the answer to a status, whatever the bounds of other calls. */
const REACHABLE_MS = 3_000;
const JOB_ID = /^[\w:.-]{1,200}$/;
/** What a refusal of a chunk means to who sends it. */
const REFUSALS: Readonly<Record<number, StoreFault['code']>> = {
  400: 'refused',
  409: 'chunk_changed',
  413: 'chunk_too_large',
  422: 'refused',
};

/** Where an adapter reports a failed call: by what it was and how it ended, never by what it held. */
export type CallLog = (facts: { call: string; outcome: string | number }) => void;

/**
 * Entities at an ontology service that speaks our contract (`docs/reference/ontology-service.md`). A call that fails is
 * `dependency_unavailable`.
 */
export function httpStore({ caller, log }: { caller: Caller; log: CallLog }): OntologyStore {
  const ask = serviceCaller(caller, log);
  return {
    capabilities: () => ({ adapter: 'http', declaredTypes: true, asyncBulk: true, maxChunk: MAX_CHUNK }),
    reachable: () =>
      caller.ask({ method: 'GET', path: '/v1/status', signal: AbortSignal.timeout(REACHABLE_MS) }).then(
        (answer) => isGood(answer),
        () => false,
      ),
    async putEntityType(call, { code, version, fingerprint, document }) {
      const path = `/v1/entity-types/${encodeURIComponent(code)}/versions/${version}`;
      const answer = await ask(call, { method: 'PUT', path, json: { code, version, fingerprint, ...document } });
      if (answer.status in REFUSALS) throw new StoreFault('refused');
      ask.good('put type', answer);
    },
    async submitBulk(call, chunk) {
      const { runId, operation, seq } = chunk;
      const json = bulkBody(chunk);
      const idempotencyKey = `${runId}:${operation}:${seq}`;
      const answer = await ask(call, { method: 'POST', path: '/v1/bulk-jobs', json, idempotencyKey });
      const refusal = REFUSALS[answer.status];
      if (refusal !== undefined) throw new StoreFault(refusal);
      return wire.jobOf(ask.read('submit', wire.WireJob, answer));
    },
    async getBulkJob(call, jobId) {
      if (!JOB_ID.test(jobId)) return undefined;
      const answer = await ask(call, { method: 'GET', path: `/v1/bulk-jobs/${encodeURIComponent(jobId)}` });
      return ask.isMissing(answer) ? undefined : wire.jobOf(ask.read('job', wire.WireJob, answer));
    },
    async getEntity(call, type, key) {
      const answer = await ask(call, { method: 'GET', path: entitiesOf(type), query: { key } });
      return ask.read('entity', wire.WireEntities, answer).items.map(wire.entityOf)[0];
    },
    async listEntities(call, type, { limit, after: [after] = [], descending = false, filter = {} }) {
      const query: Record<string, string> = { limit: String(limit), order: descending ? '-key' : 'key' };
      if (after !== undefined) query.after = after;
      for (const [property, value] of Object.entries(filter)) query[`filter.${property}`] = value;
      const answer = await ask(call, { method: 'GET', path: entitiesOf(type), query });
      return ask.read('entities', wire.WireEntities, answer).items.map(wire.entityOf);
    },
    async listKeys(call, type, { limit, after: [after = ''] = [] }) {
      const query = { keys_only: 'true', limit: String(limit), after };
      const answer = await ask(call, { method: 'GET', path: entitiesOf(type), query });
      const { items } = ask.read('keys', wire.WireKeys, answer);
      return items.map(({ key, row_hash }) => ({ key, rowHash: row_hash }));
    },
    async listLinks(
      call,
      { type, key, relationship, direction },
      { limit, after: [afterType = '', afterKey = ''] = [] },
    ) {
      const page = { limit: String(limit), after_type: afterType, after_key: afterKey };
      const query = { type, key, relationship, direction, ...page };
      const answer = await ask(call, { method: 'GET', path: '/v1/links', query });
      return ask.read('links', wire.WireLinks, answer).items.map(({ properties, ...far }) => ({
        type: far.type,
        key: far.key,
        exists: properties !== null,
        properties: properties ?? undefined,
      }));
    },
    async countLinks(call, { type, key }) {
      const answer = await ask(call, { method: 'GET', path: '/v1/link-counts', query: { type, key } });
      const { items } = ask.read('link counts', wire.WireCounts, answer);
      const placeOf = (one: (typeof items)[number]) =>
        JSON.stringify([one.direction === 'in', one.relationship, one.type]);
      return items
        .map(({ relationship, direction, type: far, count }) => ({ relationship, direction, type: far, count }))
        .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    },
  };
}

const entitiesOf = (type: string): string => `/v1/entities/${encodeURIComponent(type)}`;
const isGood = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** The ontology tenant as a header can hold it. */
export const tenantHeader = (ontologyTenant: string): Record<string, string> => ({
  'x-tenant-id': ontologyTenant.replace(/[^\x20-\x7e]+/gu, encodeURIComponent),
});

/** Calls for one ontology tenant, and what their answers say; whatever fails is logged and is `dependency_unavailable`. */
function serviceCaller(caller: Caller, log: CallLog) {
  const failed = (call: string, outcome: string | number) => {
    log({ call, outcome });
    return kernelProblems.dependencyUnavailable();
  };
  const good = (call: string, answer: Answer): void => {
    if (!isGood(answer)) throw failed(call, answer.status);
  };
  const trusted = <T>(call: string, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw error instanceof CallerError ? failed(call, error.code) : error;
    }
  };
  const ask = async ({ ontologyTenant }: StoreCall, request: CallerRequest): Promise<Answer> => {
    const found = await caller
      .ask({ ...request, headers: tenantHeader(ontologyTenant) })
      .catch((error: unknown) => error);
    if (found instanceof CallerError) throw failed(request.method, found.code);
    if (found instanceof Error) throw found;
    return found as Answer;
  };
  return Object.assign(ask, {
    good,
    read<T extends TSchema>(call: string, schema: T, answer: Answer): Static<T> {
      good(call, answer);
      const body = trusted(call, () => wire.readWire(schema, answer));
      if (body === undefined) throw failed(call, 'answer_invalid');
      return body;
    },
    isMissing: (answer: Answer): boolean => trusted('missing', () => wire.saysMissing(answer)),
  });
}

/** A chunk as a job: what no store keeps is left out, and counted among what was submitted. */
function bulkBody(chunk: EntityChunk): object {
  const { runId, seq, operation, type } = chunk;
  const size = chunk.operation === 'upsert' ? chunk.items.length : chunk.keys.length;
  if (size > MAX_CHUNK) throw new StoreFault('chunk_too_large');
  const { errors, ...content } = contentOf(chunk);
  const left_out = errors.slice(0, MAX_CHUNK_ERRORS).map(({ keyHash, code }) => ({ key_hash: keyHash, code }));
  const { code, version, indexed } = type;
  const named = { run_id: runId, seq, operation, digest: chunkDigest(chunk), type: { code, version, indexed } };
  return { ...named, submitted: size, left_out, ...content };
}

function contentOf(chunk: EntityChunk) {
  if (chunk.operation === 'delete') {
    const { good: keys, errors } = storable(chunk.keys, (key) => key, keyFault);
    return { keys, errors };
  }
  const { good, errors } = storable(chunk.items, ({ key }) => key, itemFault);
  const items = good.map(({ key, properties, links, rowHash }) => ({
    key,
    properties,
    links: links.map((link) => ({
      relationship: link.relationship,
      target_type: link.targetType,
      target_key: link.targetKey,
    })),
    row_hash: rowHash,
  }));
  return { items, errors };
}
