import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Places } from './normalise.ts';
import { openShell, type Shell } from './shell.ts';

/** What a page calls the home of its reader. */
const SHOWN_HOME = '/home/ada';
const READY = 'running; Ctrl-C stops everything';
/** The server must start what it is to start, whatever was configured for the test; tests of plugins need a database. */
const TAKEN_AWAY = /^(WEIR_(?!TOOL_CACHE|TEST_DATABASE_URL)|DB_|IDP_|WORKFLOW_|XDG_CONFIG|NODE_|TAP|npm_)/;
/** Packages are found in the home of the reader as they are in the checkout: as source. */
const NODE_OPTIONS = '--conditions=@weir/source';

/** The development server as `npm start` starts it, in a home of its own, and what it said. */
export interface DevPlatform {
  said: { stdout: string; stderr: string };
  /** Paths of this machine, and what the pages show in their stead. */
  places: Places;
  /** A terminal in the checkout. */
  shell(): Promise<Shell>;
  stop(): Promise<void>;
}

/**
 * Starts everything with the demo and resolves when it is ready; rejects with what it said when it ends before that. The
 * reader's checkout is a folder of links whose `weir` keeps its data beside it, so that a server of the real checkout
 * is not touched.
 */
export async function startDevPlatform(root: string): Promise<DevPlatform> {
  const home = await mkdtemp(path.join(tmpdir(), 'weir-docs-'));
  const checkout = path.join(home, 'weir');
  const env = { ...kept(process.env), NO_COLOR: '1', XDG_CONFIG_HOME: path.join(home, '.config') };
  await makeCheckout(root, checkout, path.join(home, 'data'));
  const said = { stdout: '', stderr: '' };
  const weir = path.join(checkout, 'cli', 'bin', 'weir.mjs');
  const child = spawn(process.execPath, [weir, 'dev', 'up', '--demo'], {
    env,
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ready = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.stderr += text;
      if (said.stderr.includes(READY)) resolve();
    });
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    const reset = spawn(process.execPath, [weir, 'dev', 'reset', '--yes'], { env, cwd: home, stdio: 'ignore' });
    await new Promise((resolve) => reset.once('close', resolve));
    await rm(home, { recursive: true, force: true });
  };
  const outcome = await Promise.race([ready.then(() => 'ready'), ended.then(() => 'ended')]);
  if (outcome === 'ended') {
    await stop();
    throw new Error(`the development server ended before it was ready:\n${said.stderr}`);
  }
  const python = process.env.WEIR_TEST_PYTHON === undefined ? [] : [path.dirname(process.env.WEIR_TEST_PYTHON)];
  const PATH = [...python, path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  return {
    said,
    places: [[home, SHOWN_HOME]],
    shell: () =>
      openShell({ cwd: checkout, env: { ...kept(process.env), NO_COLOR: '1', NODE_OPTIONS, HOME: home, PATH } }),
    stop,
  };
}

const kept = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !TAKEN_AWAY.test(name)));

async function makeCheckout(root: string, checkout: string, dataDir: string): Promise<void> {
  await mkdir(path.join(checkout, 'cli', 'bin'), { recursive: true });
  await symlink(path.join(root, 'package.json'), path.join(checkout, 'package.json'));
  await symlink(path.join(root, 'node_modules'), path.join(path.dirname(checkout), 'node_modules'));
  const own = (file: string) => !/[/\\](node_modules|dist)$/.test(file);
  await cp(path.join(root, 'plugin-template'), path.join(checkout, 'plugin-template'), {
    recursive: true,
    filter: own,
  });
  const launcher = JSON.stringify(path.join(root, 'cli', 'bin', 'launch.mjs'));
  await writeFile(
    path.join(checkout, 'cli', 'bin', 'weir.mjs'),
    `import { launch } from ${launcher};
const words = process.argv.slice(2);
launch('cli/src/main.ts', words[0] === 'dev' ? [...words, '--data-dir', ${JSON.stringify(dataDir)}] : words);
`,
  );
}
