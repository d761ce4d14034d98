/** Kinds of run that the platform itself has, as people call them. */
export const KIND_WORDS: Readonly<Record<string, string>> = {
  'source-sync': 'Sync',
  'source-discovery': 'Discovery',
  'image-inspection': 'Inspection of an image',
  sync_verify: 'Verification of a sync',
  quarantine_replay: 'Replay of rejected lines',
  transform: 'Transform',
  materialization: 'Start of a transform',
  'table-maintenance': 'Maintenance of a table',
  pipeline: 'Pipeline',
  pipeline_sandbox: 'Rehearsal of a pipeline',
  'ontology-sync': 'Sync of entities',
  'ontology-sync-v2': 'Sync of entities',
  external: 'External run',
};

/** Kinds of run that carry out several transforms as one. */
export const GROUP_KINDS: readonly string[] = ['materialization', 'pipeline', 'pipeline_sandbox'];

/** Kinds of run that make entities those of a table. */
export const ENTITY_SYNC_KINDS: readonly string[] = ['ontology-sync', 'ontology-sync-v2'];

export const kindWord = (kind: string): string => KIND_WORDS[kind] ?? kind.replaceAll(/[-_]/g, ' ');
