import { contributionPoint, type NextStepEntry, type Tenant } from '@weir/kernel/contract';
import type { ProducerKind } from './producers.ts';
import type { PrepareOptions, TableRef } from './tables.ts';

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
