import { createCaller, isPrivate } from '@weir/caller';
import { type Kernel, Platform, Refusal } from '@weir/kernel';
import type { OntologyStore } from '../../model/entity/store.ts';
import type { OntologySettings } from '../bindings.ts';
import { embeddedStore } from './embedded.ts';
import { httpStore } from './http.ts';
import { type LiveOntology, liveOntology } from './live-ontology.ts';

/** A service that answers more in one answer is at fault. */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
/** A chunk of 8 MiB is sent within it. */
const [TIMEOUT_MS, TOTAL_MS, RETRIES] = [30_000, 60_000, 4];
/** A plan waits for it. */
const LOOK = { timeoutMs: 5_000, totalMs: 5_000, retries: 1 };
/** What a header can hold. */
const KEY = /^[\x21-\x7e]+$/;

const refuse = (fault: string): never => {
  throw new Refusal('configuration refused', [fault]);
};

interface Service {
  base: URL;
  headers: () => Record<string, string>;
  maxBytes: number;
}

/** The service that the settings name; undefined: the store in the database. Throws a `Refusal`. */
function serviceOf({ ONTOLOGY_SERVICE_URL: url = '', ONTOLOGY_API_KEY: key }: OntologySettings): Service | undefined {
  if (url === '') {
    if (key !== undefined)
      refuse('ONTOLOGY_API_KEY is for an ontology service: set ONTOLOGY_SERVICE_URL too, or neither');
    return undefined;
  }
  if (url.startsWith('ngsi-ld+')) refuse('ONTOLOGY_SERVICE_URL names an NGSI-LD broker, which this release cannot use');
  const base = URL.parse(url);
  if (!isPrivate(base)) return refuse('ONTOLOGY_SERVICE_URL must be an https address; http is for loopback alone');
  if (`${base.username}${base.password}${base.search}${base.hash}` !== '')
    refuse('ONTOLOGY_SERVICE_URL must have no credentials, query or fragment: the key belongs in ONTOLOGY_API_KEY');
  const text = key?.reveal() ?? '';
  if (!KEY.test(text)) refuse('ONTOLOGY_API_KEY must be the key of the ontology service, in visible ASCII characters');
  return { base, headers: () => ({ 'x-api-key': text }), maxBytes: MAX_ANSWER_BYTES };
}

/** The store that the settings choose; throws a `Refusal` for settings that it cannot use. */
export function storeOf(kernel: Kernel<OntologySettings>): OntologyStore {
  const service = serviceOf(kernel.settings);
  if (service === undefined) {
    const { sql } = kernel.use(Platform);
    const ping = async () => (await sql('select 1 from kernel.schema_ledger limit 1', [])).rowCount === 1;
    return embeddedStore({ db: kernel.db, ping });
  }
  const caller = createCaller({ ...service, timeoutMs: TIMEOUT_MS, totalMs: TOTAL_MS, retries: RETRIES });
  return httpStore({ caller, log: (facts) => kernel.log.warn(facts, 'a call of the ontology service failed') });
}

/** A reader of the service that the settings name; undefined for the store in the database. */
export function liveOf({ settings }: Pick<Kernel<OntologySettings>, 'settings'>): LiveOntology | undefined {
  const service = serviceOf(settings);
  return service && liveOntology(createCaller({ ...service, ...LOOK, methods: ['GET'] }));
}
