import { contributionPoint, type NextStepEntry, service, type Tenant } from '@weir/kernel/contract';
import type { CallerTransaction, PrepareOptions, TableRef } from './tables.ts';

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

/** Who of the tenant writes a table. */
export interface NamedProducer {
  readonly kind: ProducerKind;
  readonly id: string;
  readonly name: string;
}

/** A table that a producer is going to write, whether or not it is there. */
export interface DeclaredTable {
  readonly ref: TableRef;
  readonly producer: NamedProducer;
  /** What brings the table about, or its columns where they are not known. */
  readonly next: NextStepEntry;
  /** As `prepare` takes them; absent while the producer does not know them. */
  readonly columns?: { readonly jsonSchema: object } & Pick<PrepareOptions, 'columns' | 'ofFiles'>;
}

/** Answers which of these tables the producers of one kind are going to write. Asked only for tables that the tenant may read. */
export type TablesDeclared = (tenant: Tenant, refs: readonly TableRef[]) => Promise<readonly DeclaredTable[]>;

/** Where producers declare the columns of their tables. */
export const TableDeclarations = contributionPoint<TablesDeclared>('table.declared');
