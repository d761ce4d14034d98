import type { JsonSchema } from '@weir/connector-sdk';
import { fault } from '../fault.ts';
import type { ColumnChoice } from '../source-file.ts';
import { type ColumnMap, columnSchema } from './column-type.ts';
import type { ValueFacts } from './value-facts.ts';

const TYPES = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
} as const;
const ORDERS = { day_first: '%d', month_first: '%m' } as const;

/** The columns with the types that a person has chosen. `config_invalid` where the files have no such column, or no such order. */
export function chosenTypes(
  columns: ColumnMap,
  { seen, choices }: { readonly seen: ReadonlyMap<string, ValueFacts>; readonly choices: readonly ColumnChoice[] },
): ColumnMap {
  const chosen = new Map(columns);
  for (const [index, { column, type }] of choices.entries()) {
    const facts = seen.get(column);
    if (facts === undefined) throw fault('config_invalid', `types/${index}/column`);
    if (type !== 'day_first' && type !== 'month_first') chosen.set(column, schemaOf(TYPES[type]));
    else {
      const format = 'formats' in facts ? facts.formats.find((one) => one.startsWith(ORDERS[type])) : undefined;
      if (format === undefined) throw fault('config_invalid', `types/${index}/type`);
      chosen.set(column, schemaOf(facts.kind.toUpperCase(), format));
    }
  }
  return chosen;
}

const schemaOf = (type: string, format?: string): JsonSchema =>
  columnSchema({ name: '', type, ...(format === undefined ? {} : { format }) });
