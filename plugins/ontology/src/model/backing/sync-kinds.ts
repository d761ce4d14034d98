import { SYNC_CONTRACTS } from '../route/contracts.ts';

/** The kinds of sync runs, whatever the contract that they follow. */
export const SYNC_KINDS: readonly string[] = SYNC_CONTRACTS.map(({ run }) => run.kind);
