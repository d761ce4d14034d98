import type { FieldFault } from '@weir/kernel/contract';
import { isReserved } from '@weir/plugin-datasets/contract';
import type { PartitionByView } from '../../contract.ts';
import { type FieldKind, fieldKind } from './field-kind.ts';

/** The column of ours by which a table can be partitioned: when a row was read. */
const EXTRACTED_AT = '_extracted_at';

/** The kinds of values that a transform takes, after the table format's specification. */
const TAKES: Readonly<Record<string, readonly FieldKind[]>> = {
  identity: ['text', 'integer', 'decimal', 'boolean', 'date', 'time', 'timestamp'],
  year: ['date', 'timestamp'],
  month: ['date', 'timestamp'],
  day: ['date', 'timestamp'],
  hour: ['timestamp'],
  bucket: ['text', 'integer', 'decimal', 'date', 'time', 'timestamp'],
  truncate: ['text', 'integer', 'decimal'],
};

/** Every place where a partitioning does not fit the columns that a table of this schema has. Pure. */
export function partitionFaults(partitionBy: PartitionByView, schema: Readonly<Record<string, unknown>>): FieldFault[] {
  const seen = new Set<string>();
  return partitionBy.flatMap(({ column, transform }, index) => {
    const at = `/partition_by/${index}`;
    const asked = `${transform} ${column}`;
    if (seen.has(asked)) return [{ pointer: at, code: 'repeated' }];
    seen.add(asked);
    if (column !== EXTRACTED_AT && !hasColumn(schema, column)) {
      return [{ pointer: `${at}/column`, code: 'unknown_field' }];
    }
    if (column !== EXTRACTED_AT && isReserved(column)) return [{ pointer: `${at}/column`, code: 'reserved' }];
    const kind = column === EXTRACTED_AT ? 'timestamp' : fieldKind(schema, column);
    const takes = TAKES[transform.split('[')[0] as string] ?? [];
    return takes.includes(kind) ? [] : [{ pointer: `${at}/transform`, code: 'not_for_type' }];
  });
}

function hasColumn({ properties }: Readonly<Record<string, unknown>>, column: string): boolean {
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, column);
}
