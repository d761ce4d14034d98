import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { ONE_CHECKER } from '../build.ts';
import { cacheFolder } from './cache.ts';
import { hashAll, listFiles } from './files.ts';
import { runTool } from './run-tool.ts';

/** A hash as the end of a file name. */
const NAME_LENGTH = 16;

/** Programs for Node, and the web pages, which have other globals. */
const PROJECTS = [
  ['types', 'tsconfig.json'],
  ['ui-types', 'ui/tsconfig.json'],
] as const;

/** The compiler over all files; it keeps what it found, so that it looks again only at what a change can reach. */
export async function types(root: string): Promise<string> {
  const folder = cacheFolder(root);
  await mkdir(folder, { recursive: true });
  // The compiler compares files itself. Another configuration or other packages begin from nothing.
  const settings = await hashAll(root, await listFiles(root, ':(glob)**/tsconfig*.json', ':(glob)**/package.json'));
  const ending = `-${settings.slice(0, NAME_LENGTH)}.tsbuildinfo`;
  const known = (await readdir(folder)).filter((file) => file.endsWith('.tsbuildinfo'));
  await Promise.all(known.map((file) => (file.endsWith(ending) ? undefined : rm(path.join(folder, file)))));
  // One after the other: each takes a core and half a gigabyte.
  for (const [name, project] of PROJECTS) {
    const kept = ['--incremental', '--tsBuildInfoFile', path.join(folder, `${name}${ending}`)];
    await runTool(root, path.join('typescript', 'bin', 'tsc'), ['-p', project, ...kept, ...ONE_CHECKER]);
  }
  return known.some((file) => file.endsWith(ending)) ? 'clean, what a change can reach' : 'clean';
}
