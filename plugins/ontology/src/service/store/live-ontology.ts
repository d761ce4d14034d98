import type { TSchema } from '@sinclair/typebox';
import { type Caller, CallerError } from '@weir/caller';
import { tenantHeader } from './http.ts';
import { type LiveType, readWire, saysMissing, WireTenant, WireType } from './http-wire.ts';

const [UNAUTHORIZED, FORBIDDEN] = [401, 403];

/** What an ontology service has at the moment. */
export interface LiveView {
  hasTenant: boolean;
  type: LiveType | undefined;
}

/** Reads an ontology service and cannot write. */
export interface LiveOntology {
  /** Throws a `LiveFault`. */
  look(ontologyTenant: string, type: { code: string; version: number }): Promise<LiveView>;
}

/** A service that did not say what it has. */
export class LiveFault extends Error {
  readonly code: 'ontology_unauthorized' | 'ontology_unreachable';

  constructor(code: LiveFault['code']) {
    super(code);
    this.code = code;
  }
}

/** The service behind a client that has no other method than GET. */
export function liveOntology(caller: Caller<'GET'>): LiveOntology {
  const read = async <T extends TSchema>(
    schema: T,
    ontologyTenant: string,
    path: string,
    query?: Record<string, string>,
  ) => {
    try {
      const answer = await caller.ask({ method: 'GET', path, query, headers: tenantHeader(ontologyTenant) });
      if (answer.status === UNAUTHORIZED || answer.status === FORBIDDEN) throw new LiveFault('ontology_unauthorized');
      if (saysMissing(answer)) return undefined;
      const body = answer.status === 200 ? readWire(schema, answer) : undefined;
      if (body === undefined) throw new LiveFault('ontology_unreachable');
      return body;
    } catch (error) {
      throw error instanceof CallerError ? new LiveFault('ontology_unreachable') : error;
    }
  };
  return {
    async look(ontologyTenant, { code, version }) {
      const tenant = await read(WireTenant, ontologyTenant, `/v1/tenants/${encodeURIComponent(ontologyTenant)}`);
      if (tenant === undefined) return { hasTenant: false, type: undefined };
      const path = `/v1/entity-types/${encodeURIComponent(code)}`;
      return { hasTenant: true, type: await read(WireType, ontologyTenant, path, { version: String(version) }) };
    },
  };
}
