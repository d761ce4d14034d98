import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectorContext, connectorFolder, nodeRoot, programContext } from '@weir/connector-images';
import { askEngine, tarFolder } from '@weir/connector-images/proof';
import { buildImage } from './build-image.ts';
import type { Engine } from './engine.ts';

/** What images are built from where no registry is: Node with the libraries and the authorities of this machine. */
const BASE = 'weir/node';
const PATH = '/usr/local/bin:/usr/bin:/bin';

async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-image-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isThere(engine: Engine, name: string): Promise<boolean> {
  return (await askEngine(engine.socketPath, { path: `/images/${name}/json` })).status === 200;
}

/** The image that our own images are built on; imported once for each engine. Gives its name. */
export function nodeBase(engine: Engine): Promise<string> {
  return inScratch(async (folder) => {
    const name = `${BASE}:${await nodeRoot(folder)}`;
    if (await isThere(engine, name)) return name;
    await engine.importImage(name, tarFolder(folder), { env: { PATH } });
    return name;
  });
}

/** Builds the image of a connector of this project (`files`) by the recipe that users have. Gives its name. */
export async function connectorImage(engine: Engine, connector: string): Promise<string> {
  const base = await nodeBase(engine);
  return inScratch(async (context) => {
    const { name, version } = await connectorContext(connectorFolder(connector), context);
    await buildImage(engine.socketPath, name, context, {
      BASE: base,
      NAME: name.replace(/:.*$/, ''),
      VERSION: version,
    });
    return name;
  });
}

export type ProgramImage = {
  /** `repository:tag`. */
  readonly name: string;
  /** The TypeScript file that becomes the image's program. */
  readonly entry: string;
  /** Words that come before the arguments of every run. */
  readonly entrypoint?: readonly string[];
  /** Adds files over those of the base image. */
  readonly root?: (folder: string) => Promise<void>;
};

/** Builds an image of any program of ours, by the same recipe. Gives its name. */
export async function programImage(
  engine: Engine,
  { name, entry, entrypoint = [], root }: ProgramImage,
): Promise<string> {
  const base = await nodeBase(engine);
  return inScratch(async (folder) => {
    const [context, files] = [path.join(folder, 'context'), path.join(folder, 'root')];
    await root?.(files);
    await programContext(entry, context, { entrypoint, ...(root === undefined ? {} : { root: files }) });
    await buildImage(engine.socketPath, name, context, { BASE: base, NAME: name.replace(/:.*$/, ''), VERSION: '0' });
    return name;
  });
}
