import { type Static, Type } from '@sinclair/typebox';
import { Refusal, readSettings } from '@weir/kernel/boot';

/** How much a worker of one role does at once. */
export interface Capacity {
  /** Child processes; each activity may have one. */
  activityWorkers: number;
  activities: number;
  workflowTasks: number;
  activityPolls: number;
  workflowPolls: number;
}

const MAX_WORKERS = 64;
const MAX_WORKFLOW_TASKS = 1_000;
const MAX_POLLS = 100;
/** The engine's client keeps one poller for cached workflows and needs another one beside it. */
const MIN_WORKFLOW_POLLS = 2;

const count = (minimum: number, maximum: number, standard: number, description: string) =>
  Type.Integer({ minimum, maximum, default: standard, description });

/** With what the names of the variables of a role begin. */
export function capacityPrefix(role: string): string {
  return `WORKFLOW_${role.toUpperCase().replaceAll('-', '_')}`;
}

/** The variables of a role, with the defaults of the specification. */
export const capacitySchema = (prefix: string) =>
  Type.Object({
    [`${prefix}_ACTIVITY_MAX_WORKERS`]: count(1, MAX_WORKERS, 8, 'Child processes at a time'),
    [`${prefix}_MAX_CONCURRENT_ACTIVITIES`]: count(1, MAX_WORKERS, 8, 'Activities at a time; a role may take fewer'),
    [`${prefix}_MAX_CONCURRENT_WORKFLOW_TASKS`]: count(1, MAX_WORKFLOW_TASKS, 100, 'Steps of workflows at a time'),
    [`${prefix}_MAX_CONCURRENT_ACTIVITY_TASK_POLLS`]: count(1, MAX_POLLS, 5, 'Polls for activities'),
    [`${prefix}_MAX_CONCURRENT_WORKFLOW_TASK_POLLS`]: count(MIN_WORKFLOW_POLLS, MAX_POLLS, 5, 'Polls for workflows'),
  });

/** How much a worker does at once, by role. */
export type Capacities = ReadonlyMap<string, Capacity>;

/** Reads the capacity of each role that a worker takes on; throws as `readCapacity` does. */
export function readCapacities(
  roles: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Capacities {
  return new Map(roles.map((role) => [role, readCapacity(role, environment)]));
}

/** Reads the capacity of a role. Throws a `Refusal` for values that do not fit, and for more slots than child processes. */
export function readCapacity(role: string, environment: Readonly<Record<string, string | undefined>>): Capacity {
  const prefix = capacityPrefix(role);
  const schema = capacitySchema(prefix);
  const values = readSettings([{ owner: `role ${role}`, schema }], environment).get(`role ${role}`) as Static<
    typeof schema
  >;
  const read = (name: string): number => Number(values[`${prefix}_${name}`]);
  const capacity: Capacity = {
    activityWorkers: read('ACTIVITY_MAX_WORKERS'),
    activities: read('MAX_CONCURRENT_ACTIVITIES'),
    workflowTasks: read('MAX_CONCURRENT_WORKFLOW_TASKS'),
    activityPolls: read('MAX_CONCURRENT_ACTIVITY_TASK_POLLS'),
    workflowPolls: read('MAX_CONCURRENT_WORKFLOW_TASK_POLLS'),
  };
  if (capacity.activities > capacity.activityWorkers) {
    throw new Refusal('configuration refused', [
      `${prefix}_MAX_CONCURRENT_ACTIVITIES is ${capacity.activities}, more than ${prefix}_ACTIVITY_MAX_WORKERS, which is ${capacity.activityWorkers}`,
    ]);
  }
  return capacity;
}

/** A capacity with the activities that its role takes by itself, unless the environment says how many. */
export function withSlots(
  capacity: Capacity,
  { role, slots }: { role: string; slots: number },
  environment: Readonly<Record<string, string | undefined>>,
): Capacity {
  if (environment[`${capacityPrefix(role)}_MAX_CONCURRENT_ACTIVITIES`] !== undefined) return capacity;
  return { ...capacity, activities: Math.min(slots, capacity.activities, capacity.activityWorkers) };
}
