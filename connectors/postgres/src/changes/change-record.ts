import { type ColumnKind, columnKind } from '../column-kind.ts';
import { type Envelope, recordLine, rowJson } from '../row-json.ts';
import type { Table } from '../table.ts';
import type { Field, Relation } from './pgoutput.ts';

/** What a change was: created, updated or deleted; `r` is a row of the first copy. */
export type Operation = 'c' | 'u' | 'd' | 'r';

/** When and where a change was made. */
export type ChangePlace = { readonly lsn: bigint; readonly time: string };

/** The names of the server's own types by their oids, which never change. */
const BUILT_IN: Readonly<Record<string, string>> = {
  ...{
    16: 'bool',
    17: 'bytea',
    20: 'int8',
    21: 'int2',
    23: 'int4',
    26: 'oid',
    114: 'json',
    700: 'float4',
    701: 'float8',
  },
  ...{
    1082: 'date',
    1083: 'time',
    1114: 'timestamp',
    1184: 'timestamptz',
    1700: 'numeric',
    2950: 'uuid',
    3802: 'jsonb',
  },
};

/** The columns of a relation as they are at this place of the log, each with the kind of its values. */
export type ChangeColumn = { readonly name: string; readonly kind: ColumnKind; readonly isKey: boolean };

/** The kinds of a relation's columns: those of the table as it is now where the type is still that one. */
export function changeColumns({ columns }: Relation, table: Table): ChangeColumn[] {
  return columns.map(({ name, isKey, typeOid, modifier }) => {
    const now = table.columns.find((column) => column.name === name && column.typeOid === typeOid);
    return { name, isKey, kind: now?.kind ?? columnKind(BUILT_IN[typeOid] ?? '', modifier) };
  });
}

/**
 * The RECORD line of a change: its values, without those that were not sent, and what it was, where and when. A deleted row
 * says so by the time in `_ab_cdc_deleted_at`.
 */
export function changeLine(
  { columns, envelope }: { readonly columns: readonly ChangeColumn[]; readonly envelope: Envelope },
  fields: readonly Field[],
  operation: Operation,
  { lsn, time }: ChangePlace,
): string {
  const row = rowJson(columns, fields);
  const deleted = operation === 'd' ? `"${time}"` : 'null';
  row.members.push(`"_op":"${operation}","_lsn":${lsn},"_ab_cdc_updated_at":"${time}","_ab_cdc_deleted_at":${deleted}`);
  return recordLine(envelope, row);
}

/** Microseconds since 1970 as an ISO time in UTC. */
export function microsTime(micros: bigint): string {
  const beyond = ((micros % 1000n) + 1000n) % 1000n;
  const iso = new Date(Number((micros - beyond) / 1000n)).toISOString();
  return `${iso.slice(0, -1)}${String(beyond).padStart(3, '0')}Z`;
}
