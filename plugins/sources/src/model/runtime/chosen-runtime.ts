import {
  type ConnectorRuntime,
  containerRuntime,
  type ProcessConnector,
  processRuntime,
} from '@weir/connector-runtime';
import type { Mode } from '@weir/kernel';
import { childFaultpoint } from './child-faultpoint.ts';
import type { RuntimeChoice } from './runtime-choice.ts';

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
  const engine = { role, socketPath, workspaceRoot, waivers, isProven: true };
  return containerRuntime({ ...engine, mode, environment, atPoint: childFaultpoint });
}
