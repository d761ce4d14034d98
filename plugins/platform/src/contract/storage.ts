import { contributionPoint } from '@weir/kernel/contract';

/** What counting needs of the caller's transaction; no other connection may be taken inside it. */
export interface StorageTransaction {
  readonly tenant: { readonly tenantId: string };
  sql(text: string, params: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;
}

/** The bytes that the tenant of a transaction keeps. */
export type StorageUse = (tx: StorageTransaction) => Promise<bigint>;

/** Whoever keeps data of tenants says how much; the sum is held against their limit. */
export const StorageUses = contributionPoint<StorageUse>('storage.use');
