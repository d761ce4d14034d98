import { type ReadContext, recordEnvelope } from '@weir/connector-sdk';
import { memberName } from '../describe-stream.ts';
import { type FaultCode, fault } from '../fault.ts';
import type { Table } from '../table.ts';
import { type ChangeColumn, type ChangePlace, changeColumns, changeLine, type Operation } from './change-record.ts';
import { type ChangeState, storedState } from './change-state.ts';
import type { Field, LogMessage, OldRow, Relation } from './pgoutput.ts';

/** Values of columns of one row as they are now; undefined when the row is not there any more. */
export type FetchNow = (
  table: Table,
  key: ReadonlyMap<string, string>,
  names: readonly string[],
) => Promise<Field[] | undefined>;

export type Change = Extract<LogMessage, { kind: 'insert' | 'update' | 'delete' }>;

/** One stream whose changes are read from the log. */
export type FollowedStream = {
  readonly context: ReadContext;
  readonly table: Table;
  /** By what the table is published. */
  readonly published: readonly string[] | undefined;
  /** Until where it was read; changes that were committed before are not taken. */
  readonly at: () => bigint;
  /** How the table looks from here on. */
  readonly relate: (relation: Relation) => Promise<void>;
  readonly take: (change: Change, place: ChangePlace) => Promise<void>;
  /** Hands over what was taken. */
  readonly flush: () => Promise<void>;
  /** Everything before the place was handed over: reading may start again there. */
  readonly tell: (lsn: bigint) => Promise<void>;
};

type Options = {
  readonly context: ReadContext;
  readonly table: Table;
  readonly state: ChangeState;
  readonly fetchNow: FetchNow;
};
type Shape = {
  readonly columns: readonly ChangeColumn[];
  /** The same columns under their names in the stream. */
  readonly members: readonly ChangeColumn[];
  readonly isFull: boolean;
};

/** The columns that tell the rows of a stream apart for the platform; empty when none do. */
export function keyOf({ stream }: Pick<ReadContext, 'stream'>): readonly string[] {
  return (stream.primary_key ?? stream.stream.source_defined_primary_key ?? []).flatMap(([name = '']) => name);
}

/** Follows the changes of one table for its stream. */
export function followStream({ context, table, state, fetchNow }: Options): FollowedStream {
  const envelope = recordEnvelope(context.stream.stream, context.emittedAt);
  const key = keyOf(context);
  const shapes = new Map<string, Shape>();
  let lines: string[] = [];
  let { lsn } = state;

  const say = ({ members }: Shape, fields: readonly Field[], what: readonly [Operation, ChangePlace]) => {
    lines.push(changeLine({ columns: members, envelope }, fields, ...what));
  };
  const update = async (shape: Shape, { old, row }: Extract<Change, { kind: 'update' }>, place: ChangePlace) => {
    if (old !== undefined && hasMoved(shape.members, key, old, row)) {
      say(shape, keyFields(shape.columns, old.fields), ['d', place]);
    }
    say(shape, await completed({ shape, table, fetchNow }, row, old), ['u', place]);
  };
  const followed: FollowedStream = {
    context,
    table,
    published: state.published,
    at: () => lsn,
    async relate(relation) {
      const columns = changeColumns(relation, table);
      const members = columns.map((column) => ({ ...column, name: memberName(column.name, true) }));
      const isTold = ({ isKey }: ChangeColumn) => isKey || relation.isFull;
      if (!key.every((name) => members.some((one) => one.name === name && isTold(one))))
        throw changeFault('key_changed', table);
      const known = context.stream.stream.json_schema.properties as Record<string, unknown> | undefined;
      const added = members.filter(({ name }) => known !== undefined && !Object.hasOwn(known, name));
      if (added.length > 0) {
        await context.emit.log(
          'WARN',
          `${table.name}: ${added.length} columns are new to the stream; refresh its schema`,
        );
      }
      shapes.set(relation.oid, { columns, members, isFull: relation.isFull });
    },
    async take(change, place) {
      const shape = shapes.get(change.oid);
      if (shape === undefined) throw fault('change_unreadable');
      if (change.kind === 'update') return update(shape, change, place);
      if (change.kind === 'insert') return say(shape, change.row, ['c', place]);
      const { old } = change;
      say(shape, old.isWhole ? old.fields : keyFields(shape.columns, old.fields), ['d', place]);
    },
    async flush() {
      if (lines.length === 0) return;
      const bytes = Buffer.from(lines.join(''));
      const count = lines.length;
      lines = [];
      await context.emit.lines(bytes, count);
    },
    async tell(place) {
      await followed.flush();
      lsn = place;
      await context.emit.state(storedState({ ...state, lsn: place }));
    },
  };
  return followed;
}

/** The fault of a stream, told with its table's name. */
export function changeFault(code: FaultCode, { name }: Pick<Table, 'name'>) {
  return fault(code, name);
}

/** Of an old row only the key says something: everything else is NULL because it was not kept. */
function keyFields(columns: readonly ChangeColumn[], fields: readonly Field[]): Field[] {
  return columns.map(({ isKey }, index) => (isKey ? fields[index] : undefined));
}

function hasMoved(
  columns: readonly ChangeColumn[],
  key: readonly string[],
  old: OldRow,
  row: readonly Field[],
): boolean {
  return columns.some(({ name }, index) => {
    const after = row[index];
    return key.includes(name) && after !== undefined && old.fields[index] !== after;
  });
}

type Completing = { readonly shape: Shape; readonly table: Table; readonly fetchNow: FetchNow };

/**
 * A row with the values that were not sent, because they are stored elsewhere and did not change: from the old row if that was
 * kept whole, else as they are now. One that has changed since comes again with its own change; one of a row that is gone is
 * absent, and its deletion follows.
 */
async function completed(
  { shape, table, fetchNow }: Completing,
  row: readonly Field[],
  old: OldRow | undefined,
): Promise<readonly Field[]> {
  if (!row.includes(undefined)) return row;
  const filled = row.map((field, index) => (field === undefined && old?.isWhole ? old.fields[index] : field));
  const missing = shape.columns.filter((_, index) => filled[index] === undefined).map(({ name }) => name);
  if (missing.length === 0 || table.key.length === 0) return filled;
  const key = new Map<string, string>();
  for (const [index, { name }] of shape.columns.entries()) {
    const value = filled[index];
    if (table.key.includes(name) && typeof value === 'string') key.set(name, value);
  }
  const known = missing.filter((name) => table.columns.some((column) => column.name === name));
  if (key.size < table.key.length || known.length === 0) return filled;
  const now = await fetchNow(table, key, known);
  return shape.columns.map(
    ({ name }, index) => filled[index] ?? (known.includes(name) ? now?.[known.indexOf(name)] : filled[index]),
  );
}
