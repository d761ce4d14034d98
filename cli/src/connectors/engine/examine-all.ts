import type { EngineCheck } from './engine-check.ts';
import type { RolePlace } from './engine-role.ts';
import { examineEngine } from './examine-engine.ts';
import { examineMachine } from './examine-machine.ts';
import { examineSocket } from './examine-socket.ts';
import { examineApart, examineWorkspace } from './examine-workspace.ts';

/** Every point of the installation, role by role, then those of the machine. */
export async function examineAll(places: readonly RolePlace[]): Promise<EngineCheck[]> {
  const checks: EngineCheck[] = [];
  for (const place of places) {
    checks.push(...(await examineSocket(place)), ...(await examineWorkspace(place)), ...(await examineEngine(place)));
  }
  return [...checks, ...examineApart(places), ...(await examineMachine(places))];
}
