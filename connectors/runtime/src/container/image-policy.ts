import { randomUUID } from 'node:crypto';
import { ConnectorError } from '../connector-error.ts';
import { createOptions, type ImageUser, LABEL } from './create-options.ts';
import { type EngineClient, within } from './engine-client.ts';
import type { ImageFacts } from './pull-image.ts';

const BLOCK_BYTES = 512;
const SIZE_AT = 124;
const SIZE_CHARS = 12;
const OCTAL = 8;
/** The largest list of users that is looked through. */
const MAX_LIST_BYTES = 1024 * 1024;
/** For how long users may be looked up in an image; a container that is there after that has lost its worker. */
const LOOK_UP_MS = 300_000;
/** It is never started: whom it would run as does not matter. */
const ANYBODY: ImageUser = { uid: 65_534, gid: 65_534 };
const NUMERIC_USER = /^(\d{1,9})(?::(\d{1,9}))?$/;

/**
 * Refuses what no flag could harden: an image with volumes of its own, each of which is a folder of the host that can be
 * written to, run from and filled, and one that does not say what it runs.
 */
export function checkImage({ volumes, entrypoint }: Pick<ImageFacts, 'volumes' | 'entrypoint'>): void {
  if (volumes.length > 0) throw new ConnectorError('image_declares_volumes');
  if (entrypoint.length === 0) throw new ConnectorError('connector_image_unusable');
}

/** The user of an image in numbers. A name is looked up in the image's own list, which takes a container never started. */
export async function imageUser(
  engine: EngineClient,
  { id, user }: Pick<ImageFacts, 'id' | 'user'>,
): Promise<ImageUser> {
  const numeric = user === '' ? ['', '0'] : NUMERIC_USER.exec(user);
  if (numeric !== null) return { uid: Number(numeric[1]), gid: Number(numeric[2] ?? 0) };
  const [name = '', group] = user.split(':');
  const container = await within(engine.createContainer(lookedInto(id)));
  try {
    const users = await listOf(container, '/etc/passwd');
    const found = users.find(([entry, , uid]) => entry === name || uid === name);
    if (found === undefined) throw new ConnectorError('connector_image_unusable');
    if (group === undefined) return { uid: Number(found[2]), gid: Number(found[3]) };
    const groups = await listOf(container, '/etc/group');
    return { uid: Number(found[2]), gid: Number(groups.find(([entry]) => entry === group)?.[2] ?? group) };
  } finally {
    await container.remove({ force: true, v: true }).catch(() => undefined);
  }
}

/** As hardened as a connector, and known by its labels for whoever tidies up after a worker that was killed. */
function lookedInto(imageId: string): ReturnType<typeof createOptions> {
  const labels = { [LABEL.role]: 'probe', [LABEL.deadline]: String(Date.now() + LOOK_UP_MS) };
  const name = `weir-user-${randomUUID()}`;
  const plan = { imageId, name, labels, user: ANYBODY, command: [], limits: {}, environment: {} };
  const options = createOptions({ ...plan, inputs: undefined, segments: undefined });
  return { ...options, HostConfig: { ...options.HostConfig, NetworkMode: 'none' } };
}

type Archived = { readonly getArchive: (options: { path: string }) => Promise<NodeJS.ReadableStream> };

/** A list of /etc as its fields. The engine gives a file as a tar of one entry (POSIX.1-1988, ustar). */
async function listOf(container: Archived, path: string): Promise<string[][]> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of await within(container.getArchive({ path }))) {
      chunks.push(chunk as Buffer);
      length += chunk.length;
      if (length > MAX_LIST_BYTES) break;
    }
  } catch (cause) {
    throw new ConnectorError('connector_image_unusable', { cause });
  }
  const tar = Buffer.concat(chunks);
  const size = Number.parseInt(tar.toString('latin1', SIZE_AT, SIZE_AT + SIZE_CHARS), OCTAL);
  const text = tar.toString('utf8', BLOCK_BYTES, BLOCK_BYTES + (Number.isSafeInteger(size) ? size : 0));
  return text.split('\n').map((line) => line.split(':'));
}
