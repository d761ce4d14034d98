import { execFile } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ContainerRuntime } from '@weir/connector-runtime';
import { testRun } from '@weir/connector-runtime/testing';
import { askEngine, type Engine, progressOf } from '../../../test/engines/index.ts';
import { nodeRoot } from '../../images/src/node-root.ts';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('../src/testing-connector.ts', import.meta.url));
const NODE = '/usr/local/bin/node';
/** As chown(2) has it. */
const SAME_OWNER = -1;

/** An image of Node and the test connector, once for each engine and version of the two. */
async function baseImage(engine: Engine): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'container-kit-'));
  try {
    const root = join(work, 'root');
    const version = await nodeRoot(root);
    const name = `weir-test/node:${version}`;
    await mkdir(join(root, 'app'));
    await copyFile(PROGRAM, join(root, 'app', 'testing-connector.ts'));
    const found = await askEngine(engine.socketPath, { path: `/images/${name}/json` });
    if (found.status === 200) return name;
    // Another test may give Node's program a further name meanwhile; tar takes that for a change (exit 1).
    await run('tar', ['-C', root, '-cf', join(work, 'root.tar'), '.']).catch((error: { code?: unknown }) => {
      if (error.code !== 1) throw error;
    });
    await engine.importImage(name, join(work, 'root.tar'));
    return name;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A workspace of this test alone in the one of an engine that many tests use; of another user, and of another mode, where those are given. */
export async function ownWorkspace(
  t: { teardown: (end: () => unknown) => unknown },
  engine: Engine,
  { uid = SAME_OWNER, mode = 0o711 } = {},
): Promise<string> {
  const path = await mkdtemp(join(engine.workspaceRoot, 'test-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  await chown(path, uid, engine.inputGroup);
  await chmod(path, mode);
  return path;
}

export type ImageMaker = (name: string, lines: readonly string[]) => Promise<string>;

/** Makes images of further lines of a Dockerfile over the base; the name of each. */
export async function imageMaker(engine: Engine): Promise<ImageMaker> {
  const base = await baseImage(engine);
  return async (name, lines) => {
    const work = await mkdtemp(join(tmpdir(), 'container-kit-'));
    try {
      const recipe = join(work, 'Dockerfile');
      await writeFile(recipe, [`FROM ${base}`, ...lines].join('\n'));
      await run('tar', ['-C', work, '-cf', join(work, 'context.tar'), 'Dockerfile']);
      const query = new URLSearchParams({ t: name, forcerm: '1' });
      const body = await readFile(join(work, 'context.tar'));
      const headers = { 'content-type': 'application/x-tar' };
      const asked = { method: 'POST', path: `/build?${query}`, headers, body: Readable.from([body]) };
      progressOf(await askEngine(engine.socketPath, asked), `build ${name}`);
      return name;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  };
}

/** The line of a Dockerfile by which a program of JavaScript is what an image runs. */
export function runs(script: string): string {
  return `ENTRYPOINT ${JSON.stringify([NODE, '-e', script])}`;
}

/** The line by which the image is the test connector with that habit. */
export function habit(name: string): string {
  return `ENTRYPOINT ${JSON.stringify([NODE, '/app/testing-connector.ts', name])}`;
}

/** What an image printed on stdout, once it has ended. */
export async function said(runtime: ContainerRuntime, image: string, more: object = {}): Promise<string> {
  const connector = await runtime.run(testRun(image, more));
  const output = await text(connector.stdout);
  await connector.exit;
  return output;
}

/** The texts of all files below a folder. */
export async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
}
