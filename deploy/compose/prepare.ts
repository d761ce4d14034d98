import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { platformContext } from '../../connectors/images/src/index.ts';
import { makeSecrets } from './secrets.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IDP = path.join(ROOT, 'deploy', 'compose', 'idp');
const IMAGE_USER = 65_534;
const ENGINE_GROUP = 'weir-connectors';
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Builds the image of the platform from this checkout. Gives its name. */
async function buildPlatform(): Promise<string> {
  const context = await mkdtemp(path.join(tmpdir(), 'weir-image-'));
  try {
    const commit = await platformContext(context);
    const name = `weir:${commit}`;
    await docker('build', '--tag', name, '--build-arg', `REVISION=${commit}`, ...baseOf('WEIR_BASE_IMAGE'), context);
    return name;
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

async function buildIdp(): Promise<string> {
  await docker('build', '--tag', 'weir-idp:local', ...baseOf('WEIR_IDP_BASE_IMAGE'), IDP);
  return 'weir-idp:local';
}

/** Another base than the recipe's, for a machine that reaches no public registry. */
const baseOf = (variable: string): string[] => {
  const base = process.env[variable];
  return base === undefined ? [] : ['--build-arg', `BASE=${base}`];
};

async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run('docker', args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

/** Gives the key of credentials to the user of the image; no other user may read it. */
async function giveKey(image: string, folder: string): Promise<void> {
  const held = ['--user', '0:0', '--cap-drop', 'ALL', '--cap-add', 'CHOWN', '--network', 'none', '--read-only'];
  const program = `fs.chownSync('/secrets/credential_key', ${IMAGE_USER}, ${IMAGE_USER})`;
  const mount = ['--volume', `${folder}:/secrets`];
  await docker('run', '--rm', ...held, ...mount, '--entrypoint', 'node', image, '-e', program);
}

/** The number of the group of the connector engine's socket; undefined where the engine is not installed. */
async function engineGroup(): Promise<string | undefined> {
  const { stdout } = await run('getent', ['group', ENGINE_GROUP]).catch(() => ({ stdout: '' }));
  return stdout.split(':')[2];
}

/** Writes the settings of the compose file that this machine and release decide. What an operator has added stays. */
async function writeSettings(settings: Readonly<Record<string, string>>): Promise<void> {
  const file = path.join(ROOT, '.env');
  const before = await readFile(file, 'utf8').catch(() => '');
  const kept = before.split('\n').filter((line) => line !== '' && !((line.split('=')[0] ?? '') in settings));
  const own = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  await writeFile(file, `${[...kept, ...own].join('\n')}\n`);
}

/** Builds both images, makes the secrets that are missing, and writes `.env`; `--no-build` takes `WEIR_IMAGE` as it is. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { 'no-build': { type: 'boolean', default: false } } });
  const image = values['no-build'] ? (process.env.WEIR_IMAGE ?? 'weir:local') : await buildPlatform();
  if (!values['no-build']) await buildIdp();
  const facts = JSON.parse(await docker('image', 'inspect', image)) as [
    { Id: string; Config: { Labels: Record<string, string> } },
  ];
  const [{ Id: digest, Config }] = facts;
  const group = await engineGroup();
  await writeSettings({
    WEIR_IMAGE: image,
    WEIR_IMAGE_DIGEST: digest,
    WEIR_RELEASE_SHA: Config.Labels['org.opencontainers.image.revision'] ?? '',
    ...(group && { WEIR_CONNECTOR_GROUP: group }),
  });
  const { made, folder } = await makeSecrets(path.join(ROOT, 'deploy', 'compose', 'secrets'));
  await giveKey(image, folder);
  say(`image      ${image} ${digest}`);
  say(`secrets    ${path.relative(ROOT, folder)}: ${made.length === 0 ? 'all there' : `${made.length} made`}`);
  say(
    `connectors ${group === undefined ? 'no engine yet: docs/how-to/install-the-connector-engine.md' : ENGINE_GROUP}`,
  );
  say('now        docker compose up --wait');
}

await main().catch((fault: Error & { stderr?: string }) => {
  process.stderr.write(`compose: ${fault.stderr?.trim() || fault.message}\n`);
  process.exitCode = 1;
});
