import { spawn } from 'node:child_process';
import { askEngine, progressOf } from '@weir/connector-images/proof';

/** Builds an image of a context folder, by its Dockerfile, under `name`; the engine pulls nothing that it has. */
export async function buildImage(
  socketPath: string,
  name: string,
  context: string,
  buildArguments: Readonly<Record<string, string>> = {},
): Promise<void> {
  const tar = spawn('tar', ['-C', context, '--owner=0', '--group=0', '-cf', '-', '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const query = new URLSearchParams({ t: name, buildargs: JSON.stringify(buildArguments), version: '1', forcerm: '1' });
  const headers = { 'content-type': 'application/x-tar' };
  const asked = { method: 'POST', path: `/build?${query}`, headers, body: tar.stdout };
  progressOf(await askEngine(socketPath, asked), `build ${name}`);
}
