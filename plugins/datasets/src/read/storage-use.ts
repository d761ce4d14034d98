import { findSnapshot } from '@weir/lakehouse';
import type { StorageUse } from '@weir/plugin-platform/contract';
import type { TableRef } from '../contract.ts';
import { decimalDigits } from '../dataset/decimal-digits.ts';
import type { TableScanner } from '../store/table-folders.ts';

/** Metadata files that are read at one time. */
const BATCH = 16;

/**
 * The bytes that the current snapshots of a tenant's tables hold by their summaries. What only older snapshots hold is not
 * counted, and a table whose metadata cannot be read counts nothing. Metadata that was read once is remembered.
 */
export function storageUse(catalogName: string, scanner: Pick<TableScanner, 'metadata'>): StorageUse {
  const bytesOf = async (ref: TableRef, location: string): Promise<bigint> => {
    const snapshot = findSnapshot(await scanner.metadata(ref, location));
    return BigInt(decimalDigits(snapshot?.summary['total-files-size']) ?? 0);
  };
  return async (tx) => {
    const { rows } = await tx.sql(OWN, [catalogName]);
    let bytes = 0n;
    for (let from = 0; from < rows.length; from += BATCH) {
      const some = rows.slice(from, from + BATCH).map((row) => {
        const ref = { namespace: String(row.table_namespace), table: String(row.table_name) };
        return bytesOf(ref, String(row.metadata_location));
      });
      for (const read of await Promise.allSettled(some)) if (read.status === 'fulfilled') bytes += read.value;
    }
    return bytes;
  };
}

const OWN = `
select table_namespace, table_name, metadata_location from catalog.iceberg_tables
where catalog_name = $1 and metadata_location is not null 
  and table_namespace = any ((select catalog.own_namespaces())::text[])`;
