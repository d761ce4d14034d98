/** What the engine says of a workflow. */
export interface WorkflowDescription {
  status: 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed_out';
}

export interface StartRequest {
  workflowId: string;
  type: string;
  taskQueue: string;
  args: unknown[];
}

/** The workflow engine as the platform uses it. Inputs carry ids only. */
export interface Workflows {
  /** Starts a workflow; one that was started under this id before counts as started. */
  start(request: StartRequest): Promise<void>;
  cancel(workflowId: string): Promise<void>;
  /** Undefined when the engine knows no such workflow. */
  describe(workflowId: string): Promise<WorkflowDescription | undefined>;
  health(): Promise<boolean>;
  close(): Promise<void>;
}
