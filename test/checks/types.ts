import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { ONE_CHECKER } from '../build.ts';
import { cacheFolder } from './cache.ts';
import { hashAll, listFiles } from './files.ts';
import { runTool } from './run-tool.ts';

/** A hash as the end of a file name. */
const NAME_LENGTH = 16;

/** The compiler over all files; it keeps what it found, so that it looks again only at what a change can reach. */
export async function types(root: string): Promise<string> {
  const folder = cacheFolder(root);
  await mkdir(folder, { recursive: true });
  // The compiler compares files itself. Another configuration or other packages begin from nothing.
  const settings = await hashAll(root, await listFiles(root, ':(glob)**/tsconfig*.json', ':(glob)**/package.json'));
  const name = `types-${settings.slice(0, NAME_LENGTH)}.tsbuildinfo`;
  const known = (await readdir(folder)).filter((file) => file.endsWith('.tsbuildinfo'));
  await Promise.all(known.map((file) => (file === name ? undefined : rm(path.join(folder, file)))));
  const kept = ['--incremental', '--tsBuildInfoFile', path.join(folder, name)];
  await runTool(root, path.join('typescript', 'bin', 'tsc'), ['-p', 'tsconfig.json', ...kept, ...ONE_CHECKER]);
  return known.includes(name) ? 'clean, what a change can reach' : 'clean';
}
