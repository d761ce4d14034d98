import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { askEngine, progressOf } from '@weir/connector-images/proof';
import { type Supervised, supervise, untilReady } from '@weir/embedded';
import { PATIENT_MS } from '../until.ts';

/** In a network namespace of its own every port is free. */
export const REGISTRY = '127.0.0.1:5000';
const LISTENS = /listening on/;
/** `{}` in base64: the engine wants the header, and nobody here has a credential. */
const NO_CREDENTIAL = 'e30=';

const configuration = (folder: string) => `version: 0.1
storage:
  filesystem: {rootdirectory: ${folder}}
  delete: {enabled: true}
http: {addr: "${REGISTRY}"}
`;

/** Starts Debian's registry in the network of process `pid`, with its data in `folder`. */
export async function startRegistry(pid: number, folder: string, generation: number): Promise<Supervised> {
  const file = path.join(folder, 'registry.yml');
  await writeFile(file, configuration(path.join(folder, 'registry')));
  const child = await supervise({
    name: 'the registry',
    command: 'nsenter',
    args: [`--net=/proc/${pid}/ns/net`, 'docker-registry', 'serve', file],
    cwd: folder,
    logFile: path.join(folder, `registry-${generation}.log`),
  });
  const listens = async () => LISTENS.test(await readFile(child.logFile, 'utf8'));
  await untilReady('the registry', child, listens, PATIENT_MS);
  return child;
}

/**
 * Puts an image of the engine into the registry as `127.0.0.1:5000/<repository>:<tag>` and takes that name off the
 * engine again. Gives the reference by digest.
 */
export async function pushImage(
  socketPath: string,
  image: string,
  repository: string,
  tag = 'latest',
): Promise<string> {
  const name = `${REGISTRY}/${repository}`;
  const asked = (method: string, where: string, headers = {}) =>
    askEngine(socketPath, { method, path: where, headers });
  const tagged = await asked('POST', `/images/${image}/tag?${new URLSearchParams({ repo: name, tag })}`);
  if (tagged.status !== 201) throw new Error(`the engine cannot name ${image}: ${tagged.text}`);
  const headers = { 'x-registry-auth': NO_CREDENTIAL };
  const said = progressOf(await asked('POST', `/images/${name}/push?tag=${tag}`, headers), `push ${name}`);
  const digest = said.map((line) => (line.aux as { Digest?: string } | undefined)?.Digest).find(Boolean);
  if (digest === undefined) throw new Error(`the registry gave no digest for ${name}`);
  await asked('DELETE', `/images/${name}:${tag}?noprune=true`);
  return `${name}@${digest}`;
}
