import { type WorkflowClientOptions, workflowClient } from '@weir/workflow-client';
import { kernelProblems } from '../contract/problems.ts';
import type { Workflows } from './workflows.ts';

/** Workflows on Temporal; every call throws `dependency_unavailable` when the engine is away. */
export const temporalWorkflows = (options: Omit<WorkflowClientOptions, 'unavailable'>): Workflows =>
  workflowClient({ ...options, unavailable: (cause) => kernelProblems.dependencyUnavailable({ cause }) });
