import type { Kernel } from './kernel.ts';

/** Notes which processes a worker has started, so that others can see and account for them. */
export interface ChildRegistry {
  started(child: { name: string; pid: number; parent: number }): void;
  ended(pid: number): void;
  /** Variables with which a child goes on with the trace of the activity that starts it; none when nothing is traced. */
  environment?(): Record<string, string>;
}

/** What the worker program gives the activities of a role. */
export interface WorkerDeps {
  kernel: Kernel;
  children: ChildRegistry;
  workDir: string;
  /** The most memory in MiB that an activity may take in processes of its own, as the doors of the role say. */
  slotMiB: number;
}

/** How many activities of a role run at the same time, and the memory in MiB of the worker's machine or control group. */
export interface WorkerRoom {
  slots: number;
  memoryMiB: number;
}

/** What a plugin's worker door exports as `worker`: one role, its workflows and its activities. */
export interface WorkerDoor {
  /** As the manifest declares it; decides the queue and the names of the capacity variables. */
  role: string;
  /** The file that exports the workflows, alone in its folder with what they import. */
  workflowsPath: string;
  activities(deps: WorkerDeps): object;
  /** The most memory in MiB that one activity takes in processes of its own; none unless the door says so. */
  slotMiB?: number | ((kernel: Kernel, room: WorkerRoom) => number);
  /** Activities at a time where no setting says how many; 8 unless a door of the role says fewer. */
  slots?: number;
  /** Activities that only end a run: they are carried out even when the plugin is not enabled for the tenant. */
  ungated?: readonly string[];
  /** Activities that do no I/O, so that their input names no tenant: they show that a worker carries out what it polls for. */
  inert?: readonly string[];
}
