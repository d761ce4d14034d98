import fc from 'fast-check';
import type { DeleteFile, Field, LiveFile, TableSchema } from '../src/index.ts';
import { localPath } from '../src/index.ts';
import { DELETED_PATH_ID } from '../src/manifest/match-deletes.ts';
import type { readingPlace } from './typed-table.ts';
import { compareValues, type TypedValue, VALUES } from './typed-values.ts';

type Writer = Awaited<ReturnType<typeof readingPlace>>['writer'];

/** A row of a table: an id, then one value of each type. */
export type Row = { readonly id: number; readonly values: readonly (TypedValue | null)[] };
/** A data file as it was made: its rows, and where it stands. */
type MadeFile = { readonly live: LiveFile; readonly rows: readonly Row[] };

const POSITIONS: TableSchema = {
  type: 'struct',
  'schema-id': 0,
  fields: [
    { id: DELETED_PATH_ID, name: 'file_path', required: true, type: 'string' },
    { id: 2147483545, name: 'pos', required: true, type: 'long' },
  ],
};
const SPELLINGS = [(path: string) => `file://${path}`, (path: string) => `file:${path}`, (path: string) => path];
const sequence = fc.bigInt({ min: 1n, max: 4n });
const partitionKey = fc.constantFrom('p0', 'p1');
const target = fc.tuple(fc.nat(), fc.nat());

const somePositions = fc.record({
  kind: fc.constant('positions' as const),
  sequence,
  targets: fc.array(target, { minLength: 1, maxLength: 6 }),
  spelling: fc.constantFrom(...SPELLINGS),
});
const someKeys = fc.record({
  kind: fc.constant('keys' as const),
  sequence,
  partitionKey: fc.option(partitionKey, { nil: undefined }),
  columns: fc.uniqueArray(fc.nat(VALUES.length - 1), { minLength: 1, maxLength: 2 }),
  targets: fc.array(target, { minLength: 1, maxLength: 2 }),
});
const someRow = fc.tuple(...VALUES.map((_, at) => fc.option(VALUES[at]![1], { freq: 4 })));

/** Files of rows, and what is deleted of them by place or by value; some deletes come too early to take anything. */
export const someTable = fc.record({
  files: fc.array(fc.record({ rows: fc.array(someRow, { maxLength: 9 }), sequence, partitionKey }), { maxLength: 5 }),
  deletes: fc.array(fc.oneof(somePositions, someKeys), { minLength: 0, maxLength: 4 }),
});
type SomeTable = typeof someTable extends fc.Arbitrary<infer T> ? T : never;
type SomeDeletes = SomeTable['deletes'][number];

/** Writes the files of a table; with the rows that are left of each, by its location. */
export async function makeTable(writer: Writer, schema: TableSchema, { files, deletes }: SomeTable) {
  let id = 0;
  const made: MadeFile[] = [];
  for (const { rows: content, sequence: sequenceNumber, partitionKey: key } of files) {
    const rows = content.map((values): Row => ({ id: id++, values }));
    const texts = rows.map((row) => [String(row.id), ...row.values.map((one) => one?.text ?? null)]);
    const live = { ...(await writer.write(schema, texts)), sequenceNumber, partitionKey: key };
    made.push({ live, rows });
  }
  const gone = new Set<number>();
  const written: DeleteFile[] = [];
  for (const one of deletes) {
    const targets = targetsOf(made, one);
    if (targets.length === 0) continue;
    written.push(await writeDeletes(writer, schema, one, targets));
    for (const row of deletedBy(made, one, targets)) gone.add(row);
  }
  const left = new Map(made.map(({ live, rows }) => [live.location, rows.filter((row) => !gone.has(row.id))]));
  return { live: made.map(({ live }) => ({ ...live, deletes: written })), left, gone: gone.size };
}

type Target = { readonly file: MadeFile; readonly at: number; readonly row: Row };

function targetsOf(made: readonly MadeFile[], { targets }: SomeDeletes): Target[] {
  const filled = made.filter(({ rows }) => rows.length > 0);
  return targets.flatMap(([ofFile, ofRow]) => {
    const file = filled[ofFile % Math.max(1, filled.length)];
    const at = ofRow % Math.max(1, file?.rows.length ?? 0);
    const row = file?.rows[at];
    return file && row ? [{ file, at, row }] : [];
  });
}

async function writeDeletes(writer: Writer, schema: TableSchema, one: SomeDeletes, targets: readonly Target[]) {
  if (one.kind === 'positions') {
    const rows = targets.map(({ file, at }) => [one.spelling(localPath(file.live.location)), String(at)]);
    const { location, recordCount, sizeBytes } = await writer.write(POSITIONS, rows);
    return { content: 'position_deletes', location, recordCount, sizeBytes, sequenceNumber: one.sequence } as const;
  }
  const fields: Field[] = one.columns.map((column) => schema.fields[column + 1]!);
  const rows = targets.map(({ row }) => one.columns.map((column) => row.values[column]?.text ?? null));
  const { location, recordCount, sizeBytes } = await writer.write({ ...schema, fields }, rows);
  return {
    content: 'equality_deletes',
    location,
    recordCount,
    sizeBytes,
    sequenceNumber: one.sequence,
    equalityIds: fields.map((field) => field.id),
    ...(one.partitionKey === undefined ? {} : { partitionKey: one.partitionKey }),
  } as const;
}

/** The ids of the rows that deletes take, by the words of the specification. */
function deletedBy(made: readonly MadeFile[], one: SomeDeletes, targets: readonly Target[]): number[] {
  if (one.kind === 'positions') {
    return targets.filter(({ file }) => file.live.sequenceNumber <= one.sequence).map(({ row }) => row.id);
  }
  const equal = (a: TypedValue | null, b: TypedValue | null): boolean =>
    a === null || b === null ? a === b : compareValues(a, b) === 0;
  return made
    .filter(({ live }) => live.sequenceNumber < one.sequence)
    .filter(({ live }) => one.partitionKey === undefined || one.partitionKey === live.partitionKey)
    .flatMap(({ rows }) => rows)
    .filter((row) =>
      targets.some((other) =>
        one.columns.every((column) => equal(row.values[column] ?? null, other.row.values[column] ?? null)),
      ),
    )
    .map(({ id }) => id);
}
