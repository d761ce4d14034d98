/** All that the workflow of a time of a schedule is given. */
export interface ScheduledTime {
  tenant_id: string;
  subject_kind: string;
  subject_id: string;
  /** The run of the workflow, so that a time is noted once however often it is tried. */
  firing_id: string;
  scheduled_at: string;
}
