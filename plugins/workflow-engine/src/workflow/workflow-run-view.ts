import { type RunRecord, runView } from '@weir/kernel';
import type { WorkflowRunView } from '../contract.ts';

/** A run of any kind as the workflow routes show it. */
export function workflowRunView(run: RunRecord): WorkflowRunView {
  return { ...runView(run), kind: run.kind, subject_id: run.subjectId };
}
