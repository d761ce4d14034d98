import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { toolCache } from '@weir/embedded';
import { prepareMachine } from '../engines/packages.ts';

const run = promisify(execFile);
const COMPOSE = {
  package: 'docker-compose=2.26.1-4',
  sha256: '47681197cb2b1ab88206b42a1a92fc75f50d9530a6322d03494a473eed0408ea',
};
const PLUGIN = path.join('usr', 'libexec', 'docker', 'cli-plugins', 'docker-compose');
/** The release in which that version is. */
const SUITE = 'trixie';
const WORKFLOW_ENGINE = 'go.temporal.io/server/cmd';
const WORKFLOW_VERSION = 'v1.32.0';
const ROOT_PACKAGES = ['ca-certificates', 'postgresql', 'wget'];
const LEFT_OUT = ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale'];

/** Makes a folder of the tool cache once; a run that was ended leaves none. */
async function once(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const home = path.join(toolCache(), name);
  if (existsSync(home)) return home;
  const draft = `${home}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    await make(draft);
    await rename(draft, home);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return home;
}

/** A configuration folder of the container client that has `compose` in it: Debian's package, checked against its hash. */
export function composeClient(): Promise<string> {
  return once('test-compose-client', async (folder) => {
    const own = path.join(folder, 'apt');
    for (const place of ['lists/partial', 'cache/archives/partial', 'parts']) {
      await mkdir(path.join(own, place), { recursive: true });
    }
    const { stdout } = await run('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages']);
    const [site = ''] = stdout.split('\n').filter((line) => /debian\.org\/debian$/.test(line));
    const key = '/usr/share/keyrings/debian-archive-keyring.gpg';
    await writeFile(path.join(own, 'parts', 'suite.list'), `deb [signed-by=${key}] ${site} ${SUITE} main\n`);
    await writeFile(path.join(own, 'status'), '');
    const settings = Object.entries({
      'Dir::Etc::sourcelist': '/dev/null',
      'Dir::Etc::sourceparts': path.join(own, 'parts'),
      'Dir::State::lists': path.join(own, 'lists'),
      'Dir::State::status': path.join(own, 'status'),
      'Dir::Cache': path.join(own, 'cache'),
      'APT::Sandbox::User': 'root',
    }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    await run('apt-get', [...settings, '-q', 'update'], { cwd: own });
    await run('apt-get', [...settings, 'download', COMPOSE.package], { cwd: own });
    const file = (await readdir(own)).find((name) => name.endsWith('.deb')) ?? '';
    const found = createHash('sha256')
      .update(await readFile(path.join(own, file)))
      .digest('hex');
    if (found !== COMPOSE.sha256) throw new Error(`${COMPOSE.package} has the hash ${found}, not the pinned one`);
    await run('dpkg', ['-x', path.join(own, file), path.join(own, 'files')]);
    await mkdir(path.join(folder, 'cli-plugins'));
    await copyFile(path.join(own, 'files', PLUGIN), path.join(folder, 'cli-plugins', 'docker-compose'));
    await rm(own, { recursive: true });
  });
}

/** A folder with `server` and `sql` of the workflow engine, built from the Go module. */
export function workflowEngine(): Promise<string> {
  return once(`test-workflow-engine-${WORKFLOW_VERSION}`, async (folder) => {
    const programs = ['server', 'tools/sql'].map((name) => `${WORKFLOW_ENGINE}/${name}@${WORKFLOW_VERSION}`);
    const env = { ...process.env, GOBIN: folder };
    await run('go', ['install', '-trimpath', '-ldflags', '-s -w', ...programs], { env, maxBuffer: 2 ** 26 });
  });
}

/** A root file system of Debian with Postgres, on which every stand-in is built. */
export async function debianRoot(): Promise<string> {
  await prepareMachine();
  return once('test-compose-debian', async (folder) => {
    const args = ['--variant=minbase', `--include=${ROOT_PACKAGES.join(',')}`, 'bookworm', folder];
    await run('/usr/sbin/debootstrap', args, { maxBuffer: 2 ** 26 });
    for (const left of LEFT_OUT) await rm(path.join(folder, left), { recursive: true, force: true });
  });
}
