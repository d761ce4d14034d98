/** Where the parts of a RECORD line are. */
export const RECORD_SHAPE = {
  data: ['record', 'data'],
  extractedAt: ['record', 'emitted_at'],
  changes: ['record', 'meta', 'changes'],
} as const satisfies {
  data: readonly [string, string];
  extractedAt: readonly [string, string];
  changes: readonly [string, string, string];
};
