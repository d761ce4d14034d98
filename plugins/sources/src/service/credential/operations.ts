import { type Kernel, Platform, type Tenant } from '@weir/kernel';
import { patternCatalog } from '../pattern/catalog.ts';
import { checkStored } from './check-stored.ts';
import { migrateAll } from './migrate-all.ts';

/** What an operator may have done for many tenants at once; `ok` is false when it found something wrong. */
export type Operation = (kernel: Kernel, tenants: readonly Tenant[]) => Promise<{ ok: boolean; told: object }>;

/** The operations of this plugin by their words. */
export const operations: Readonly<Record<string, Operation>> = {
  /** Moves credentials into the secret store, in one transaction. */
  'credentials-migrate': async (kernel, tenants) => {
    const { ofKnown: patternOf } = patternCatalog(kernel.use(Platform).sql);
    return { ok: true, told: await migrateAll({ kernel, patternOf }, tenants) };
  },

  /** Reads each credential at its exact version. */
  'credentials-check': async (kernel, tenants) => {
    const told = await checkStored(kernel, tenants);
    return { ok: told.faults.length === 0, told };
  },
};
