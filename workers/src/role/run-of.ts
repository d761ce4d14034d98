const WORKFLOW_ID = /^[0-9a-f-]{36}:([a-z][a-z0-9-]*):([0-9a-f-]{36})$/;

/** Kind and id of the run that a workflow carries out, as its id says them; nothing for a workflow of another form. */
export function runOf(workflowId: string | undefined): { kind?: string; run_id?: string } {
  const [, kind, run_id] = WORKFLOW_ID.exec(workflowId ?? '') ?? [];
  return kind === undefined || run_id === undefined ? {} : { kind, run_id };
}
