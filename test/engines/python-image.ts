import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundleProgram, placeProgram } from '@weir/connector-images';
import { tarFolder } from '@weir/connector-images/proof';
import { toolCache } from '@weir/embedded';
import { pythonWith } from '../python.ts';
import type { Engine } from './engine.ts';
import { MachineUnfit, prepareMachine } from './packages.ts';

const run = promisify(execFile);
const SUITE = 'bookworm';
/** The Python of that release; wheels are chosen by the one that runs pip. */
const PYTHON = '3.11';
/** Older connectors still import what Debian keeps apart. */
const PACKAGES = ['python3', 'python3-distutils', 'ca-certificates'];
/** What an image does not need of a package system. */
const LEFT_OUT = ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale'];
const APP = 'opt/app';

/** A connector of the Python index as it is published, with nothing of ours in it but the way it is started. */
export type PythonImage = {
  /** `repository:tag`. */
  readonly name: string;
  /** Pinned, as pip takes it. */
  readonly requirement: string;
  /** The program that the package brings. */
  readonly program: string;
  /** Puts our bridge before a program that is a tap. */
  readonly tap?: boolean;
  /** More files, by their path in the image. */
  readonly files?: Readonly<Record<string, string>>;
};

async function draft(home: string, make: (folder: string) => Promise<void>): Promise<string> {
  if (existsSync(home)) return home;
  const folder = await mkdtemp(`${home}.`);
  try {
    await make(folder);
    await chmod(folder, 0o755);
    await rename(folder, home);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return home;
}

/** A root file system of Debian with Python, made once in the tool cache. */
async function pythonRoot(): Promise<string> {
  await prepareMachine();
  return draft(path.join(toolCache(), `test-debian-${SUITE}-${PACKAGES.length}`), async (folder) => {
    const args = ['--variant=minbase', `--include=${PACKAGES.join(',')}`, SUITE, folder];
    await run('/usr/sbin/debootstrap', args);
    for (const left of LEFT_OUT) await rm(path.join(folder, left), { recursive: true, force: true });
  });
}

/** The packages of a requirement, installed once in the tool cache. */
async function packages(requirement: string): Promise<string> {
  const python = await pythonWith('test-pip', ['wheel==0.45.1']);
  const { stdout } = await run(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  if (stdout.trim() !== PYTHON) throw new MachineUnfit(`images of Python connectors need Python ${PYTHON} to be made`);
  const name = requirement.replaceAll(/[^a-z0-9.]+/gi, '-');
  return draft(path.join(toolCache(), `test-packages-${name}`), async (folder) => {
    const args = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-compile',
      '--prefer-binary',
      '--target',
      folder,
      requirement,
    ];
    await run(python, args);
  });
}

/** Brings such a connector into an engine. Gives the image's name. */
export async function pythonImage(engine: Engine, wanted: PythonImage): Promise<string> {
  const [root, app] = [await pythonRoot(), await packages(wanted.requirement)];
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-python-'));
  try {
    await run('cp', ['-a', `${root}/.`, folder]);
    await run('cp', ['-a', app, path.join(folder, APP)]);
    await chmod(path.join(folder, APP), 0o755);
    for (const [name, content] of Object.entries(wanted.files ?? {})) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), content);
    }
    const started = `/${APP}/bin/${wanted.program}`;
    if (!(await readdir(path.join(folder, APP, 'bin'))).includes(wanted.program)) {
      throw new Error(`${wanted.requirement} brings no ${wanted.program}`);
    }
    const env = { PYTHONPATH: `/${APP}`, PATH: '/usr/local/bin:/usr/bin:/bin', PYTHONUNBUFFERED: '1' };
    const entrypoint = wanted.tap ? await bridged(folder, started) : ['/usr/bin/python3', started];
    await engine.importImage(wanted.name, tarFolder(folder), { entrypoint, env, user: '1000:1000' });
    return wanted.name;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts Node and the bridge into an image, and a name for the tap that is started by its own Python. */
async function bridged(folder: string, tap: string): Promise<string[]> {
  const entry = path.resolve(import.meta.dirname, '../../connectors/singer-bridge/src/main.ts');
  await bundleProgram(entry, path.join(folder, 'app'));
  await placeProgram(folder, process.execPath, '/usr/local/bin/node');
  const program = '/usr/local/bin/singer-tap';
  await writeFile(path.join(folder, program), `#!/bin/sh\nexec /usr/bin/python3 ${tap} "$@"\n`, { mode: 0o755 });
  return ['node', '/app/dist/main.mjs', 'singer-tap'];
}
