import { askEngine, progressOf, tarFolder } from '@weir/connector-images/proof';

/** Builds an image of a context folder, by its Dockerfile, under `name`; the engine pulls nothing that it has. */
export async function buildImage(
  socketPath: string,
  name: string,
  context: string,
  buildArguments: Readonly<Record<string, string>> = {},
): Promise<void> {
  const query = new URLSearchParams({ t: name, buildargs: JSON.stringify(buildArguments), version: '1', forcerm: '1' });
  const headers = { 'content-type': 'application/x-tar' };
  const asked = { method: 'POST', path: `/build?${query}`, headers, body: tarFolder(context) };
  progressOf(await askEngine(socketPath, asked), `build ${name}`);
}
