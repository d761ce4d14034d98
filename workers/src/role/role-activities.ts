import type { WorkerDeps } from '@weir/kernel';
import { Refusal } from '@weir/kernel/boot';
import { type ActivityGate, activityGate, type GateDeps } from './activity-gate.ts';
import type { Part, Role } from './roles.ts';

/** The activities of a role, and the gate that each passes for the plugin that brings it. */
export interface RoleActivities {
  activities: Record<string, unknown>;
  gate: ActivityGate;
}

/**
 * Joins the activities of the plugins of a role. Throws a `Refusal` for a name that two of them bring, and for a door that
 * exempts an activity from the gate that it does not have.
 */
export function roleActivities(
  { role, parts }: Pick<Role, 'role' | 'parts'>,
  gateDeps: GateDeps,
  depsOf: (plugin: Part['plugin']) => WorkerDeps,
): RoleActivities {
  const activities: Record<string, unknown> = {};
  const gates = new Map<string, { id: string; gate: ActivityGate }>();
  const faults: string[] = [];
  for (const { door, plugin } of parts) {
    const { id, tenancy } = plugin.manifest;
    const own = door.activities(depsOf(plugin)) as Record<string, unknown>;
    const { ungated = [], inert = [] } = door;
    const gate = activityGate(gateDeps, { id, tenancy, ungated, inert });
    for (const name of [...ungated, ...inert])
      if (!Object.hasOwn(own, name)) faults.push(`plugin ${id} exempts ${name}, which is not an activity of its own`);
    for (const [name, work] of Object.entries(own)) {
      const other = gates.get(name)?.id;
      if (other !== undefined) faults.push(`both ${other} and ${id} bring the activity ${name} to the role ${role}`);
      activities[name] = work;
      gates.set(name, { id, gate });
    }
  }
  if (faults.length > 0) throw new Refusal('worker refused', faults);
  return { activities, gate: async (activity, input) => gates.get(activity)?.gate(activity, input) };
}
