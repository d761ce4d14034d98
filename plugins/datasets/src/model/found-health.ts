/** Why the maintenance of a table makes no progress. */
export interface Block {
  why: 'races' | 'hold';
  detail: string;
  runId: string | null;
  /** ISO 8601. */
  since: string;
}

/** A table as maintenance last found it; no status before its first look. */
export interface FoundHealth {
  status: 'healthy' | 'due' | 'blocked' | null;
  blocked: Block | null;
}
