import { dirname } from 'node:path';
import type { Engine } from './engine.ts';

/** The settings by which a platform runs its connectors in an engine of the tests, with a workspace for each role. */
export function engineSettings(
  { socketPath }: Pick<Engine, 'socketPath'>,
  workspace: { readonly source: string; readonly discovery: string },
): Record<string, string> {
  const socket = dirname(socketPath);
  return {
    SOURCE_SOCKET_DIR: socket,
    WEIR_SOURCE_WORKSPACE_DIR: workspace.source,
    DISCOVERY_SOCKET_DIR: socket,
    WEIR_DISCOVERY_WORKSPACE_DIR: workspace.discovery,
    WEIR_ENGINE_WAIVERS: 'rootful',
  };
}
