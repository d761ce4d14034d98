import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findTemporal } from '@weir/embedded';
import { buildImage } from '../engines/build-image.ts';
import type { Engine } from '../engines/engine.ts';
import { keycloakRelease } from '../keycloak/keycloak-release.ts';
import { findObjectStore } from '../object-store.ts';
import { debianRoot, workflowEngine } from './tools.ts';

const run = promisify(execFile);
/** The names in the compose file; what is behind them here is a root of Debian with the same programs. */
const NAMES = {
  postgres: 'docker.io/library/postgres:18',
  node: 'docker.io/library/node:24-bookworm-slim',
  objectStore: 'docker.io/chrislusf/seaweedfs:4.48',
  workflowEngine: 'docker.io/temporalio/server:1.32.0',
  workflowTools: 'docker.io/temporalio/admin-tools:1.32.0',
  idp: 'quay.io/keycloak/keycloak:26.6.4',
} as const;
const BIN = '/usr/local/bin';
const POSTGRES = '/usr/lib/postgresql/15/bin';

/** Does of the published image's entrypoint what the compose file asks of it. */
const ENTRYPOINT = `#!/bin/bash
set -eu
export PGDATA=/var/lib/postgresql/18/docker
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA" && chmod 700 "$PGDATA"
  initdb --username=postgres --pwfile=<(cat "$POSTGRES_PASSWORD_FILE"; echo) --auth-local=trust $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  PGUSER=postgres pg_ctl -w -o "-c listen_addresses=''" start
  for file in /docker-entrypoint-initdb.d/*.sh; do . "$file"; done
  PGUSER=postgres pg_ctl -m fast -w stop
fi
exec "$@" -c listen_addresses='*'
`;

/** Brings a stand-in for every public image into an engine, under its public name. */
export async function bringStandIns(engine: Engine, say: (line: string) => void): Promise<void> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'weir-stand-ins-'));
  try {
    await importRoot(engine, scratch);
    /** An image of the root and some programs; `files` by their place in it. */
    const build = async (name: string, files: Readonly<Record<string, string>>, lines: readonly string[] = []) => {
      const context = await mkdtemp(path.join(scratch, 'context-'));
      const copies: string[] = [];
      for (const [at, [place, from]] of Object.entries(files).entries()) {
        await cp(await realpath(from), path.join(context, String(at)), { recursive: true });
        copies.push(`COPY --chown=1000:0 ${at} ${place}`);
      }
      await writeFile(path.join(context, 'Dockerfile'), [`FROM ${NAMES.postgres}`, ...copies, ...lines, ''].join('\n'));
      await buildImage(engine.socketPath, name, context);
      say(`  stand-in ${name}`);
    };
    const [engineFolder, weed, temporal] = await Promise.all([workflowEngine(), findObjectStore(), findTemporal()]);
    await build(NAMES.node, { [`${BIN}/node`]: process.execPath });
    await build(NAMES.objectStore, { [`${BIN}/weed`]: weed });
    await build(NAMES.workflowEngine, { [`${BIN}/temporal-server`]: path.join(engineFolder, 'server') });
    await build(NAMES.workflowTools, {
      [`${BIN}/temporal`]: temporal.binary,
      [`${BIN}/temporal-sql-tool`]: path.join(engineFolder, 'sql'),
    });
    await build(NAMES.idp, { '/opt/keycloak': await keycloak(scratch, say), '/opt/java': await java(scratch) }, [
      'ENV JAVA_HOME=/opt/java PATH=/opt/java/bin:/usr/local/bin:/usr/bin:/bin',
      'USER 1000',
      'ENTRYPOINT ["/opt/keycloak/bin/kc.sh"]',
    ]);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function importRoot(engine: Engine, scratch: string): Promise<void> {
  const root = path.join(scratch, 'root');
  await run('cp', ['-a', await debianRoot(), root]);
  await writeFile(path.join(root, BIN, 'docker-entrypoint.sh'), ENTRYPOINT, { mode: 0o755 });
  // As in the published image: a mount in memory takes the mode of the folder that it is over.
  await mkdir(path.join(root, 'run', 'postgresql'), { recursive: true });
  await chmod(path.join(root, 'run', 'postgresql'), 0o3777);
  await run('chroot', [root, 'chown', '-R', 'postgres:postgres', '/var/lib/postgresql']);
  const tar = await run('sh', ['-c', `tar -C ${root} -cf ${root}.tar .`]).then(() => `${root}.tar`);
  await engine.importImage(NAMES.postgres, tar, {
    entrypoint: ['docker-entrypoint.sh'],
    env: { PATH: `${BIN}:/usr/sbin:/usr/bin:/sbin:/bin:${POSTGRES}` },
    volumes: ['/var/lib/postgresql'],
  });
  await rm(root, { recursive: true });
}

async function keycloak(scratch: string, say: (line: string) => void): Promise<string> {
  const folder = path.join(scratch, 'keycloak');
  await run('cp', ['-a', await keycloakRelease(say), folder]);
  await chmod(path.join(folder, 'bin', 'kc.sh'), 0o755);
  return folder;
}

/** The Java of this machine, links followed, since they lead out of its folder; some lead nowhere. */
async function java(scratch: string): Promise<string> {
  const folder = path.join(scratch, 'java');
  const home = path.resolve(await realpath('/usr/bin/java'), '..', '..');
  await cp(home, folder, { recursive: true, dereference: true, filter: existsSync });
  await rm(path.join(folder, 'jmods'), { recursive: true, force: true });
  return folder;
}
