import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askEngine } from './engine-api.ts';
import { importImage } from './import-image.ts';
import { nodeRoot, placeProgram } from './node-root.ts';
import { tarFolder } from './tar-folder.ts';

/** What the probe lets be read: what it sees, what it was told to try, and plain rows. */
export const PROBE_STREAMS = { boundary: 'boundary', trials: 'trials', rows: 'rows' } as const;

const PROGRAM = path.join(import.meta.dirname, 'probe', 'probe.mjs');
/** With these it tries what nobody in a connector's container may do. */
const TOOLS = ['/usr/bin/sleep', '/usr/bin/true', '/usr/bin/mknod', '/usr/bin/mount', '/usr/bin/unshare'];
const REPOSITORY = 'weir/connector-probe';
const PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Brings the probe into an engine, from this machine's own files and no registry, unless it is there. Gives the image's
 * name. It is a connector like any other, of 130 MB.
 */
export async function probeImage(socketPath: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-probe-'));
  try {
    const node = await nodeRoot(folder);
    const program = createHash('sha256')
      .update(await readFile(PROGRAM))
      .digest('hex');
    const name = `${REPOSITORY}:${node}-${program.slice(0, 12)}`;
    if ((await askEngine(socketPath, { path: `/images/${name}/json` })).status === 200) return name;
    await mkdir(path.join(folder, 'app'));
    await copyFile(PROGRAM, path.join(folder, 'app', 'probe.mjs'));
    for (const tool of TOOLS) if (existsSync(tool)) await placeProgram(folder, tool);
    await importImage(socketPath, name, tarFolder(folder), {
      entrypoint: ['node', '/app/probe.mjs'],
      user: '65534:65534',
      env: { PATH },
    });
    return name;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
