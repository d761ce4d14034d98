import { ONTOLOGY_SYNC_V2 } from '../run-kinds.ts';

/** The kinds of sync runs, whatever the contract that they follow. */
export const SYNC_KINDS: readonly string[] = ['ontology-sync', ONTOLOGY_SYNC_V2.kind];
