import type { FileLine } from '@weir/plugin-datasets/stage';

/** Where the parts of a RECORD line are. */
export const RECORD_SHAPE = {
  data: ['record', 'data'],
  extractedAt: ['record', 'emitted_at'],
  changes: ['record', 'meta', 'changes'],
  rejected: ['record', 'meta', 'rejected'],
} as const satisfies {
  data: readonly [string, string];
  extractedAt: readonly [string, string];
  changes: readonly [string, string, string];
  rejected: readonly [string, string, string];
};

/** The record that says of a line of a file that it is no row: one character of its data for each byte of the line. */
export function rejectedRecord({ raw, ...rejected }: FileLine): Buffer {
  const record = { data: raw.toString('latin1'), emitted_at: 0, meta: { rejected } };
  return Buffer.from(JSON.stringify({ type: 'RECORD', record }));
}
