import { join } from 'node:path';
import {
  ConnectorError,
  type ConnectorRuntime,
  containerRuntime,
  type EngineWaiver,
  type ProcessConnector,
  processRuntime,
} from '@weir/connector-runtime';
import type { Mode } from '@weir/kernel';
import type { Settings } from '../settings.ts';

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

/** What the operator has chosen for a role: the engine behind its socket for every image, or, without one, processes. */
export function runtimeChoice(settings: Settings, role: RuntimeRole): RuntimeChoice {
  const [folder, workspaceRoot] =
    role === 'source'
      ? [settings.SOURCE_SOCKET_DIR, settings.WEIR_SOURCE_WORKSPACE_DIR]
      : [settings.DISCOVERY_SOCKET_DIR, settings.WEIR_DISCOVERY_WORKSPACE_DIR];
  if (folder === undefined) return { kind: 'process' };
  if (workspaceRoot === undefined) {
    throw new ConnectorError('connector_runtime_unavailable', { reason: 'workspace_missing' });
  }
  const words = settings.WEIR_ENGINE_WAIVERS.split(/[ ,]+/);
  const waivers = (['rootful', 'limits'] as const).filter((waiver) => words.includes(waiver));
  return { kind: 'container', role, socketPath: join(folder, SOCKET), workspaceRoot, waivers };
}

export interface RuntimeParts {
  mode: Mode;
  environment: Record<string, string>;
  /** Our own connectors, for the runtime of processes. */
  connectors: Record<string, ProcessConnector>;
  /** Where the runtime of processes makes its workspaces. */
  workDir: string;
}

/** The runtime of a choice whose engine was seen to be ready. There is no way from one kind to the other. */
export function chosenRuntime(choice: RuntimeChoice, parts: RuntimeParts): ConnectorRuntime {
  const { mode, environment, connectors, workDir } = parts;
  if (choice.kind === 'process') return processRuntime({ connectors, workspaceRoot: workDir, mode, environment });
  const { role, socketPath, workspaceRoot, waivers } = choice;
  return containerRuntime({ role, socketPath, workspaceRoot, waivers, mode, environment, isProven: true });
}
