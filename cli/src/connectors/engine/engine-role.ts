import path from 'node:path';
import { CliError } from '../../cli-error.ts';

export const ENGINE_ROLES = ['source', 'discovery'] as const;
export type EngineRole = (typeof ENGINE_ROLES)[number];

/** Where one role's worker finds the engine and puts what connectors read. */
export interface RolePlace {
  role: EngineRole;
  /** The folder that the worker is given, with `docker.sock` in it and nothing else. */
  socketDir: string;
  socketPath: string;
  workspaceRoot: string;
}

/** The variables of a role's worker, as its service has them. */
export const ROLE_VARIABLES: Readonly<Record<EngineRole, { socketDir: string; workspace: string }>> = {
  source: { socketDir: 'SOURCE_SOCKET_DIR', workspace: 'WEIR_SOURCE_WORKSPACE_DIR' },
  discovery: { socketDir: 'DISCOVERY_SOCKET_DIR', workspace: 'WEIR_DISCOVERY_WORKSPACE_DIR' },
};

/** What an operator does next is to become the user of a worker, which leaves the environment behind. */
const SUDO = 'sudo drops it: sudo -u weir-source env $(cat FILE) weir …, with its lines in a file.';

/** The places of the roles that the environment names, or of the one that is asked for. Throws when there is none. */
export function rolePlaces(env: NodeJS.ProcessEnv, only: EngineRole | undefined): RolePlace[] {
  const roles = only === undefined ? ENGINE_ROLES : [only];
  const places = roles.flatMap((role) => {
    const { socketDir: dirVariable, workspace } = ROLE_VARIABLES[role];
    const [socketDir, workspaceRoot] = [env[dirVariable], env[workspace]];
    if (!socketDir || !workspaceRoot) return [];
    return [{ role, socketDir, socketPath: path.join(socketDir, 'docker.sock'), workspaceRoot }];
  });
  if (places.length > 0) return places;
  const wanted = roles.map((role) => `${ROLE_VARIABLES[role].socketDir} and ${ROLE_VARIABLES[role].workspace}`);
  const hint = `Run it with the environment of a worker: ${wanted.join(', or ')}. ${SUDO}`;
  throw new CliError('usage', 'No connector engine is configured here.', { hint });
}
