import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { toolCache } from '@weir/embedded';

const run = promisify(execFile);

/** The release that is proved; older ones have known holes in organizations and JWT grants. */
export const KEYCLOAK_VERSION = '26.6.4';
const SHA256 = 'b00d79ca3afd94bf431d2c3afb2a5af695da813017c434de7240790de6490779';

/**
 * The folder of the release, with its server built for a database in memory: from Maven Central, checked against the
 * pinned hash, once per machine. Needs Maven, Java 17 and Python.
 */
export async function keycloakRelease(say: (line: string) => void): Promise<string> {
  const folder = path.join(toolCache(), `keycloak-${KEYCLOAK_VERSION}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(draft, { recursive: true });
    say(`  ▸ Keycloak ${KEYCLOAK_VERSION} from Maven`);
    const artifact = `org.keycloak:keycloak-quarkus-dist:${KEYCLOAK_VERSION}:zip`;
    const args = ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${draft}`];
    await run('mvn', args);
    const archive = path.join(draft, `keycloak-quarkus-dist-${KEYCLOAK_VERSION}.zip`);
    const found = await hashOf(archive);
    if (found !== SHA256) throw new Error(`Keycloak ${KEYCLOAK_VERSION} has the hash ${found}, not the pinned one`);
    await run('python3', ['-m', 'zipfile', '-e', archive, draft]);
    say('  ▸ Keycloak is built');
    const home = path.join(draft, `keycloak-${KEYCLOAK_VERSION}`);
    await run('sh', [path.join(home, 'bin', 'kc.sh'), 'build', '--db=dev-mem']);
    await rename(home, folder);
    return folder;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return hash.digest('hex');
}
