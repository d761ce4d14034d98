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
  external: 'External run',
};

/** Kinds of run that carry out several transforms as one. */
export const GROUP_KINDS: readonly string[] = ['materialization', 'pipeline', 'pipeline_sandbox'];

export const kindWord = (kind: string): string => KIND_WORDS[kind] ?? kind.replaceAll(/[-_]/g, ' ');
