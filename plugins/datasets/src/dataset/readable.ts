import type { ProducerKind, TableRef } from '../contract.ts';
import { isOwnNamespace, SHARED_NAMESPACES } from './dataset-id.ts';

/** A registered output, as the producer registry holds it. */
export interface ProducedTable extends TableRef {
  kind: ProducerKind;
}

/** What a tenant may read: whole namespaces, and single tables of others. */
export interface Readable {
  namespaces: ReadonlySet<string>;
  tables: readonly TableRef[];
}

/**
 * Decides what a tenant may read from what it produces (specification, Authentication 6): the shared namespaces, every
 * namespace that a source of the tenant lands in, and single tables that its other producers write. An entry outside the
 * tenant's own namespaces grants nothing.
 */
export function readableBy(scope: string, produced: readonly ProducedTable[]): Readable {
  const own = produced.filter((entry) => isOwnNamespace(scope, entry.namespace));
  const landed = own.filter((entry) => entry.kind === 'source').map((entry) => entry.namespace);
  const namespaces = new Set([...SHARED_NAMESPACES, ...landed]);
  const tables = own.filter((entry) => !namespaces.has(entry.namespace));
  return { namespaces, tables: tables.map(({ namespace, table }) => ({ namespace, table })) };
}

/** Whether a table, existing or not, lies inside what may be read. */
export function mayRead(readable: Readable, { namespace, table }: TableRef): boolean {
  return (
    readable.namespaces.has(namespace) ||
    readable.tables.some((entry) => entry.namespace === namespace && entry.table === table)
  );
}
