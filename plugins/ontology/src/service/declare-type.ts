import { kernelProblems } from '@weir/kernel/contract';
import { ontologyProblems } from '../contract/problems.ts';
import { type DeclaredType, type OntologyStore, type StoreCall, StoreFault } from '../model/entity/store.ts';

/**
 * Gives a type to a store that keeps types of its own, before our row is written: what it refuses is not stored here either.
 * `admitted` says which type it is, once all else allows it; other stores do not ask. Throws `ontology_refused`.
 */
export async function declareType(
  store: OntologyStore,
  call: StoreCall,
  admitted: () => Promise<DeclaredType>,
): Promise<void> {
  if (!store.capabilities().declaredTypes) return;
  const type = await admitted();
  try {
    await store.putEntityType(call, type);
  } catch (cause) {
    throw cause instanceof StoreFault
      ? ontologyProblems.ontologyRefused({ cause })
      : kernelProblems.dependencyUnavailable({ cause });
  }
}
