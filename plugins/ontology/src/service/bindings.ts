import { readFileSync, statSync } from 'node:fs';
import type { Static } from '@sinclair/typebox';
import { type Kernel, Refusal } from '@weir/kernel';
import { kernelProblems, type Principal, type Tenant } from '@weir/kernel/contract';
import { writeOntology } from '../contract/access.ts';
import { ontologyProblems } from '../contract/problems.ts';
import { type Bindings, BindingsFault, readBindings } from '../model/binding/read-bindings.ts';
import type { settings } from '../settings.ts';

const NAME = 'ONTOLOGY_TENANT_BINDINGS_JSON';
/** The ontology tenant of development, where nothing else is set. */
const DEVELOPMENT = 'development';

export type OntologySettings = Static<typeof settings>;
type Place = Pick<Kernel, 'mode'> & { log: Pick<Kernel['log'], 'error'> };

/** The one place that says which ontology tenant a caller may touch. */
export interface OntologyTenants {
  /**
   * The ontology tenant of a tenant, by the bindings as they are now. Throws `ontology_binding_missing`, and
   * `capability_required` for a client that was not given the capability. Another one than `declared` is not bound.
   */
  boundTenant(tenant: Tenant, principal: Principal, declared?: string): string;
}

/** Throws a `Refusal` for bindings that could be meant in two ways, and for what only development may set. */
export function ontologyTenants(
  { mode, log }: Place,
  {
    ONTOLOGY_TENANT_ID: own = '',
    ONTOLOGY_TENANT_BINDINGS_JSON: text = '',
    ONTOLOGY_TENANT_BINDINGS_JSON_FILE: file,
  }: OntologySettings,
): OntologyTenants {
  const isDevelopment = mode === 'development';
  if (own !== '' && !isDevelopment)
    throw new Refusal('configuration refused', [
      `ONTOLOGY_TENANT_ID must be empty outside of development: bind each tenant in ${NAME}`,
    ]);
  const current = file === undefined ? () => started : followFile(file, log);
  const started = atStart(text);
  current();
  const only = own === '' && started.size === 0 && file === undefined ? DEVELOPMENT : own;
  const fallback = isDevelopment && only !== '' ? only : undefined;
  return {
    boundTenant(tenant, principal, declared) {
      const { capability = '' } = writeOntology as { capability?: string };
      if ('capabilities' in principal && !principal.capabilities.includes(capability))
        throw kernelProblems.capabilityRequired();
      const bound = current().get(tenant.alias) ?? fallback;
      if (bound === undefined || (declared ?? bound) !== bound) throw ontologyProblems.bindingMissing();
      return bound;
    },
  };
}

function atStart(text: string): Bindings {
  try {
    return text.trim() === '' ? new Map() : readBindings(text);
  } catch (error) {
    if (error instanceof BindingsFault) throw new Refusal('configuration refused', [`${NAME} ${error.message}`]);
    throw error;
  }
}

/** The bindings of a file, read again once it has changed: what cannot be read binds no tenant. */
function followFile(file: string, log: Place['log']): () => Bindings {
  let seen: { version: string; bindings: Bindings } | undefined;
  return () => {
    const version = versionOf(file);
    if (seen?.version === version) return seen.bindings;
    let bindings: Bindings = new Map();
    try {
      bindings = readBindings(readFileSync(file, 'utf8'));
    } catch (error) {
      const reason = error instanceof BindingsFault ? error.message : 'cannot be read';
      if (seen === undefined) throw new Refusal('configuration refused', [`${NAME}_FILE ${reason}`]);
      log.error({ reason }, `${NAME}_FILE is refused: no tenant is bound until it is in order`);
    }
    seen = { version, bindings };
    return bindings;
  };
}

/** Changes whenever the file is written or put in the place of another. */
function versionOf(file: string): string {
  const { mtimeNs, ino, size } = statSync(file, { bigint: true, throwIfNoEntry: false }) ?? {};
  return `${mtimeNs} ${ino} ${size}`;
}
