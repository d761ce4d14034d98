import type { RunDeclaration } from '@weir/work';

/** The maintenance of one table, whose subject is the uuid of the table. Its workflow has it too, so it is data and nothing else. */
export const TABLE_MAINTENANCE = {
  kind: 'table-maintenance',
  workflowType: 'MaintainTableWorkflow',
  role: 'maintenance',
  exclusive: true,
  exclusiveGroup: 'table',
  times: { startToCloseTimeout: '6 hours', maximumAttempts: 5 },
} as const satisfies RunDeclaration;
