import { dirname } from 'node:path';
import type { Engine } from './engine.ts';

/** The settings by which a platform runs its connectors in an engine of the tests, with a workspace for each role or one for both. */
export function engineSettings(
  { socketPath }: Pick<Engine, 'socketPath'>,
  workspace: string | { readonly source: string; readonly discovery: string },
): Record<string, string> {
  const socket = dirname(socketPath);
  const { source, discovery } = typeof workspace === 'string' ? { source: workspace, discovery: workspace } : workspace;
  return {
    SOURCE_SOCKET_DIR: socket,
    WEIR_SOURCE_WORKSPACE_DIR: source,
    DISCOVERY_SOCKET_DIR: socket,
    WEIR_DISCOVERY_WORKSPACE_DIR: discovery,
    WEIR_ENGINE_WAIVERS: 'rootful',
  };
}
