import { service } from '@weir/kernel/contract';
import type { CallerTransaction, TableRef } from './tables.ts';

/** What may produce a table. A source makes its whole namespace readable, the others single tables. */
export type ProducerKind = 'source' | 'transform' | 'pipeline';

/** Who says that it writes a table. */
export interface ProducerEntry {
  ref: TableRef;
  kind: ProducerKind;
  producerId: string;
}

/** The registry of what produces which table. An entry ends only when its table is dropped. */
export interface ProducersService {
  /**
   * Registers an output in the caller's transaction; idempotent. Answers false, and changes nothing, when another
   * producer of the tenant already has the table, unless it is of the same kind and `isGone` says that it writes the table
   * no longer. Throws `destination_not_allowed` outside the tenant's namespaces.
   */
  register(
    tx: CallerTransaction,
    entry: ProducerEntry,
    isGone?: (producerId: string) => Promise<boolean>,
  ): Promise<boolean>;
  /** Whether any producer of the tenant has the table. */
  taken(tx: CallerTransaction, ref: TableRef): Promise<boolean>;
}

export const Producers = service<ProducersService>('datasets.producers@1');
