import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ContainerCreateOptions } from 'dockerode';
import type { ConnectorLimits } from '../connector-runtime.ts';
import { createOptions, type ImageUser, LABEL, SEGMENTS_TARGET } from './create-options.ts';
import { type EngineClient, within } from './engine-client.ts';
import { demuxFrames } from './frame-demuxer.ts';
import { type OwnProgram, ownProgram } from './own-programs.ts';
import { programTar } from './single-file-tar.ts';

const TIMEOUT_MS = 60_000;
/** The engine's word for an architecture, by the one that it says in its facts. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', aarch64: 'arm64' };

export type OwnRun = {
  readonly program: OwnProgram;
  /** The architecture that the engine says in its facts. */
  readonly machine: string;
  readonly limits: ConnectorLimits;
  readonly user: ImageUser;
  /** A folder that it works in, where it may write. */
  readonly folder?: string;
  /** The folder that it finds as a connector finds its inputs. */
  readonly inputs?: string;
  /** What its user may do beyond what it owns. */
  readonly capabilities?: readonly string[];
};

/**
 * Runs a program of ours as a connector is run, and gives what it printed; undefined where there is none
 * for the architecture. Rejects when it takes longer than a minute, or the engine refuses it.
 */
export async function runOwnProgram(engine: EngineClient, run: OwnRun): Promise<string | undefined> {
  const program = ownProgram(run.program, ARCHITECTURES[run.machine] ?? run.machine);
  if (program === undefined) return undefined;
  const image = await importProgram(engine, run.program, program);
  try {
    return await outputOf(engine, optionsOf(run, image));
  } finally {
    await engine
      .getImage(image)
      .remove({ force: true })
      .catch(() => undefined);
  }
}

/** What a container prints on stdout from its start to its end; it is gone then. */
async function outputOf(engine: EngineClient, options: ContainerCreateOptions): Promise<string> {
  const container = await within(engine.createContainer(options));
  try {
    const stream = await within(container.attach({ stream: true, stdout: true, stderr: true, logs: false }));
    const output = text(demuxFrames(stream as unknown as Readable, () => undefined).stdout);
    await within(container.start());
    return await within(output, TIMEOUT_MS);
  } finally {
    await container.remove({ force: true, v: true }).catch(() => undefined);
  }
}

function optionsOf(
  { program, limits, user, folder, inputs, capabilities }: OwnRun,
  imageId: string,
): ContainerCreateOptions {
  // By these it is removed like a run whose deadline has passed, should we not be there any more.
  const labels = { [LABEL.role]: 'probe', [LABEL.deadline]: String(Date.now() + TIMEOUT_MS) };
  const name = `weir-${program}-${randomUUID()}`;
  const plan = { name, imageId, user, limits, labels, command: [], environment: {}, inputs };
  const { HostConfig, ...options } = createOptions({ ...plan, segments: folder });
  return {
    ...options,
    User: `${user.uid}:${user.gid}`,
    ...(folder === undefined ? {} : { WorkingDir: SEGMENTS_TARGET }),
    HostConfig: {
      ...HostConfig,
      CapAdd: [...(capabilities ?? [])],
      // Who works in a folder asks nobody for anything, and the network of connectors may not be there yet.
      ...(folder === undefined ? {} : { NetworkMode: 'none' }),
    },
  };
}

/**
 * Makes an image of a program and gives its id. It has no name and is not kept: one that was found by its name could come
 * from a registry.
 */
async function importProgram(engine: EngineClient, name: OwnProgram, program: Buffer): Promise<string> {
  const archive = Readable.from([programTar(name, program)]);
  const changes = [`ENTRYPOINT ["/${name}"]`];
  const made = await within(engine.importImage(archive as unknown as string, { changes }));
  const id = /"status":"(sha256:[0-9a-f]{64})"/.exec(await within(text(made as unknown as Readable)))?.[1];
  if (id === undefined) throw new Error('the engine made no image');
  return id;
}
