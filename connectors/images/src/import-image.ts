import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { askEngine, progressOf } from './engine-api.ts';

/** What an image says beside its files; every field as a Dockerfile would. */
export type ImageConfig = {
  readonly entrypoint?: readonly string[];
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly workdir?: string;
  readonly volumes?: readonly string[];
};

/** The files of an image: the path of a tar file, its bytes, or a stream of them. */
export type ImageTar = string | Uint8Array | Readable;

const quoted = (pairs: Readonly<Record<string, string>> = {}, word: string) =>
  Object.entries(pairs).map(([name, value]) => `${word} ${name}=${JSON.stringify(value)}`);

/** The lines of a Dockerfile that `POST /images/create` takes as `changes`. */
export function changesOf(config: ImageConfig): string[] {
  return [
    ...(config.entrypoint === undefined ? [] : [`ENTRYPOINT ${JSON.stringify(config.entrypoint)}`]),
    ...(config.user === undefined ? [] : [`USER ${config.user}`]),
    ...(config.workdir === undefined ? [] : [`WORKDIR ${config.workdir}`]),
    ...(config.volumes?.length ? [`VOLUME ${JSON.stringify(config.volumes)}`] : []),
    ...quoted(config.env, 'ENV'),
    ...quoted(config.labels, 'LABEL'),
  ];
}

/** Makes an image of one layer out of `tar`, under `name` (`repository:tag`). Gives its id. */
export async function importImage(
  socketPath: string,
  name: string,
  tar: ImageTar,
  config: ImageConfig = {},
): Promise<string> {
  const at = name.lastIndexOf(':');
  const query = new URLSearchParams({ fromSrc: '-', repo: name.slice(0, at), tag: name.slice(at + 1) });
  for (const change of changesOf(config)) query.append('changes', change);
  const body = typeof tar === 'string' ? createReadStream(tar) : tar instanceof Readable ? tar : Readable.from([tar]);
  const headers = { 'content-type': 'application/x-tar' };
  const answer = await askEngine(socketPath, { method: 'POST', path: `/images/create?${query}`, headers, body });
  const id = progressOf(answer, `import ${name}`).at(-1)?.status;
  if (typeof id !== 'string') throw new Error(`the engine gave no id for ${name}`);
  return id;
}
