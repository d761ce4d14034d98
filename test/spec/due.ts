/** Areas of which every route must be there. */
export const dueAreas: readonly string[] = [
  'Health and platform',
  'Sources',
  'Source credentials',
  'Source schedules',
  'Transform schedules',
  'Source patterns',
  'Datasets',
  'Workflow engine',
  'Runs',
  'Identity policies and users',
  'Declarative apply',
  'Pipelines',
  'Schema libraries and registry',
  'Ontology',
  'Backing datasets',
  'AI',
];
