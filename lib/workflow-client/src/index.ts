export type { Client } from '@temporalio/client';
export { payloadConverterPath, type WorkflowClientOptions, workflowClient } from './workflow-client.ts';
