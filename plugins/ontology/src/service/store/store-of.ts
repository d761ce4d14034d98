import { type Kernel, Platform, Refusal } from '@weir/kernel';
import type { OntologyStore } from '../../model/entity/store.ts';
import type { OntologySettings } from '../bindings.ts';
import { embeddedStore } from './embedded.ts';

/** The store that the settings choose; throws a `Refusal` for one that this release cannot use. */
export function storeOf(kernel: Kernel<OntologySettings>): OntologyStore {
  const { ONTOLOGY_SERVICE_URL: url = '', ONTOLOGY_API_KEY: key } = kernel.settings;
  const refuse = (fault: string) => {
    throw new Refusal('configuration refused', [fault]);
  };
  if (url !== '') refuse('ONTOLOGY_SERVICE_URL must be empty: this release keeps entities in its database only');
  if (key !== undefined)
    refuse('ONTOLOGY_API_KEY is for an ontology service: set ONTOLOGY_SERVICE_URL too, or neither');
  const { sql } = kernel.use(Platform);
  const ping = async () => (await sql('select 1 from kernel.schema_ledger limit 1', [])).rowCount === 1;
  return embeddedStore({ db: kernel.db, ping });
}
