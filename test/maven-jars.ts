import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { toolCache } from '@weir/embedded';

const POM = '.pom.xml';

/** The folder of the jars that a Maven project (`name.pom.xml`) names, fetched once into the tool cache. */
export async function mavenJars(project: string): Promise<string> {
  const hash = createHash('sha256')
    .update(await readFile(project))
    .digest('hex')
    .slice(0, 16);
  const folder = path.join(toolCache(), `${path.basename(project, POM)}-jars-${hash}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${randomBytes(6).toString('hex')}`;
  const args = ['-q', '-B', '-f', project, 'dependency:copy-dependencies', `-DoutputDirectory=${draft}`];
  try {
    await promisify(execFile)('mvn', args);
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}
