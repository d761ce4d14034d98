import { join } from 'node:path';
import { type EngineWaiver, engineWaivers } from '@weir/connector-runtime';
import { type Mode, Refusal } from '@weir/kernel';
import type { Settings } from '../../settings.ts';

export type RuntimeRole = 'source' | 'discovery';

/** What runs the connectors of a role, as plain data: it goes to the process of an attempt as it is. */
export type RuntimeChoice =
  | { kind: 'process' }
  | {
      kind: 'container';
      role: RuntimeRole;
      socketPath: string;
      workspaceRoot: string;
      waivers: readonly EngineWaiver[];
    };

/** The socket as every engine of a role has it, in the folder that the role is given. */
const SOCKET = 'docker.sock';

/** The folder of the socket and that of the workspaces of each role. */
const FOLDERS = {
  source: ['SOURCE_SOCKET_DIR', 'WEIR_SOURCE_WORKSPACE_DIR'],
  discovery: ['DISCOVERY_SOCKET_DIR', 'WEIR_DISCOVERY_WORKSPACE_DIR'],
} as const;

/**
 * What the operator has chosen for a role: the engine behind its socket for every image, or, in development alone,
 * processes where there is none. Throws a `Refusal` that names the setting that is missing.
 */
export function runtimeChoice(settings: Settings, role: RuntimeRole, mode: Mode): RuntimeChoice {
  const [socketDir, workspaceDir] = FOLDERS[role];
  const { [socketDir]: folder, [workspaceDir]: workspaceRoot } = settings;
  const faults = [
    ...(folder === undefined && mode !== 'development'
      ? [`${socketDir} is required outside of development: connectors of the role ${role} run in containers alone`]
      : []),
    ...(folder !== undefined && workspaceRoot === undefined ? [`${workspaceDir} is required with ${socketDir}`] : []),
  ];
  if (faults.length > 0) throw new Refusal('worker refused', faults);
  if (folder === undefined || workspaceRoot === undefined) return { kind: 'process' };
  const waivers = engineWaivers(settings.WEIR_ENGINE_WAIVERS);
  return { kind: 'container', role, socketPath: join(folder, SOCKET), workspaceRoot, waivers };
}
