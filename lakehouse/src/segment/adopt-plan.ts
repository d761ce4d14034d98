import {
  constantPage,
  emptyListPage,
  type Footer,
  groupElement,
  isElementOf,
  type Leaf,
  leafElement,
  leafOf,
  type NamedType,
  nullPage,
  type PackedPage,
  REPETITION,
  storedType,
  type Thrift,
} from '@weir/parquet';
import { identifier } from '../duckdb/duckdb-sql.ts';
import { FILLED_COLUMNS, type Field, type FieldType, innerFields, type TableSchema } from '../schema/types.ts';

/** A leaf of a data file that is made of a segment: its page is the segment's own, or the same in every row. */
export type AdoptedLeaf = Leaf & {
  /** As the statistics of a file name it. */
  readonly key: string;
  readonly from: { readonly column: NamedType } | SamePage;
};

/** A page that is made here, whose one value, if it has one, is this text for `encodeBound`. */
type SamePage = { readonly page: (rows: number) => PackedPage; readonly value?: string };

/** How a data file is made of the pages of a segment. */
export type AdoptPlan = {
  /** The elements of its schema, with the table's field ids. */
  readonly schema: readonly Thrift[];
  readonly leaves: readonly AdoptedLeaf[];
};

/** What is the same in all rows of a segment. */
export type SameValues = {
  /** Milliseconds since 1970. */
  readonly extractedAt: number;
  readonly runId: string;
  /** The name of the file that they are from. */
  readonly file?: string | undefined;
};

const MICROS_PER_MS = 1000n;

/**
 * How the data file of a schema is made of a segment with that footer, when nothing of its pages has to change: each column
 * that the file has is one of the table's, stored as the table's type is. Undefined when something has.
 */
export function adoptPlan(footer: Footer, schema: TableSchema, same: SameValues): AdoptPlan | undefined {
  const known = new Set(schema.fields.map(({ name }) => name));
  if ([...footer.columns.keys()].some((name) => FILLED_COLUMNS.has(name) || !known.has(name))) return undefined;
  const columns = schema.fields.map((field) =>
    FILLED_COLUMNS.has(field.name) ? metaColumn(field, same) : dataColumn(field, footer),
  );
  if (columns.some((column) => column === undefined)) return undefined;
  const whole = columns.filter((column) => column !== undefined);
  return {
    schema: [groupElement({ name: 'schema', children: columns.length }), ...whole.flatMap(({ elements }) => elements)],
    leaves: whole.flatMap(({ leaves }) => leaves),
  };
}

type AdoptedColumn = { readonly elements: readonly Thrift[]; readonly leaves: readonly AdoptedLeaf[] };

const keyOf = (path: readonly string[]): string => path.map(identifier).join('.');

function plain({ id, name, type }: Field, from: (column: NamedType) => AdoptedLeaf['from']): AdoptedColumn | undefined {
  const stored = typeof type === 'string' ? storedType(type) : undefined;
  if (stored === undefined) return undefined;
  const column = { name, type: stored, fieldId: id };
  return { elements: [leafElement(column)], leaves: [{ ...leafOf(column), key: keyOf([name]), from: from(column) }] };
}

function dataColumn(field: Field, { columns }: Footer): AdoptedColumn | undefined {
  const element = columns.get(field.name);
  const found = plain(field, (column) => (element === undefined ? { page: nullPage } : { column }));
  const [leaf] = found?.leaves ?? [];
  if (element === undefined || leaf === undefined || !('column' in leaf.from)) return found;
  return isElementOf(element, leaf.from.column) ? found : undefined;
}

function metaColumn(field: Field, { extractedAt, runId, file }: SameValues): AdoptedColumn | undefined {
  const always = (plainValue: Buffer, value: string) =>
    plain(field, () => ({ page: (rows) => constantPage(rows, plainValue), value }));
  const text = (value: string) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(value));
    return always(Buffer.concat([length, Buffer.from(value)]), value);
  };
  switch (field.name) {
    case '_extracted_at': {
      const micros = Buffer.alloc(8);
      micros.writeBigInt64LE(BigInt(extractedAt) * MICROS_PER_MS);
      return always(micros, new Date(extractedAt).toISOString().replace('T', ' ').replace('Z', ''));
    }
    case '_run_id':
      return text(runId);
    case '_file':
      return file === undefined ? plain(field, () => ({ page: nullPage })) : text(file);
    case '_errors':
      return emptyList(field);
    default:
      return plain(field, () => ({ page: nullPage }));
  }
}

/** A list of structs of plain fields, empty in every row (https://iceberg.apache.org/spec/#parquet: lists have three levels). */
function emptyList({ id, name, type }: Field): AdoptedColumn | undefined {
  const [element] = listElement(type);
  const members = element === undefined ? [] : innerFields(element.type);
  const columns = members.map((member) => plain(member, () => ({ page: emptyListPage })));
  if (element === undefined || members.length === 0 || columns.some((column) => column === undefined)) return undefined;
  const { optional, repeated } = REPETITION;
  const path = [name, 'list', 'element'];
  return {
    elements: [
      groupElement({ name, children: 1, repetition: optional, isList: true, fieldId: id }),
      groupElement({ name: 'list', children: 1, repetition: repeated }),
      groupElement({ name: 'element', children: members.length, repetition: optional, fieldId: element.id }),
      ...columns.flatMap((column) => column?.elements ?? []),
    ],
    leaves: columns.flatMap((column) =>
      (column?.leaves ?? []).map((leaf) => ({
        ...leaf,
        path: [...path, ...leaf.path],
        key: `${keyOf([name, 'element'])}.${leaf.key}`,
      })),
    ),
  };
}

const listElement = (type: FieldType): readonly Field[] =>
  typeof type === 'string' || type.type !== 'list' ? [] : innerFields(type);
