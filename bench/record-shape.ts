/** Where the parts of a RECORD line are, as the stager is told. */
export const RECORD_SHAPE = {
  data: ['record', 'data'],
  extractedAt: ['record', 'emitted_at'],
  changes: ['record', 'meta', 'changes'],
} as const;
