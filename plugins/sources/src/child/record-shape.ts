import { FILE_COLUMN, type FileLine, type LineShape, type TableSchema } from '@weir/plugin-datasets/stage';

/** Where the parts of a RECORD line are. */
const RECORD_SHAPE = {
  data: ['record', 'data'],
  extractedAt: ['record', 'emitted_at'],
  changes: ['record', 'meta', 'changes'],
  rejected: ['record', 'meta', 'rejected'],
} as const satisfies LineShape;

/** The parts of a RECORD line that a table asks for: one of files, the file of the row too. */
export function recordShape({ fields }: Pick<TableSchema, 'fields'>): LineShape {
  const isOfFiles = fields.some(({ name }) => name === FILE_COLUMN.name);
  return isOfFiles ? { ...RECORD_SHAPE, file: ['record', 'meta', 'file'] } : RECORD_SHAPE;
}

/** The record that says of a line of a file that it is no row: one character of its data for each byte of the line. */
export function rejectedRecord({ raw, ...rejected }: FileLine): Buffer {
  const record = { data: raw.toString('latin1'), emitted_at: 0, meta: { rejected } };
  return Buffer.from(JSON.stringify({ type: 'RECORD', record }));
}
