import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bringWorkflows } from '../compiled-workflows.ts';
import type { Places } from './normalise.ts';
import { openShell, type Shell } from './shell.ts';

/** What a page calls the home of its reader. */
const SHOWN_HOME = '/home/ada';
const READY = '\n  Open http';
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
  /** How the demo user reaches the API. */
  client(): Promise<{ url: string; token: string; tenant: string }>;
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
  const dataDir = path.join(home, 'data');
  await makeCheckout(root, checkout, dataDir);
  // A start that compiles them is that of cli/test/dev-once.test.ts.
  await bringWorkflows(path.join(dataDir, 'cache'));
  const own = { NO_COLOR: '1', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(home, 'compiled') };
  // The reader's home, and what the examples of calls read.
  const roots = [home, path.join(root, 'test', 'fixtures')].join(path.delimiter);
  const loopback = { WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_FILES_ROOTS: roots };
  const env = { ...kept(process.env), ...own, ...loopback, XDG_CONFIG_HOME: path.join(home, '.config') };
  const server = startServer(path.join(checkout, 'cli', 'bin', 'weir.mjs'), home, env);
  const stop = async () => {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  };
  if (!(await server.ready)) {
    await stop();
    throw new Error(`the development server ended before it was ready:\n${server.said.stderr}`);
  }
  const python = process.env.WEIR_TEST_PYTHON === undefined ? [] : [path.dirname(process.env.WEIR_TEST_PYTHON)];
  const PATH = [...python, path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  // Read by name: that starts the server.
  const { WEIR_TEST_DATABASE_URL } = process.env;
  const ofReader = { ...kept(process.env), ...own, WEIR_TEST_DATABASE_URL, NODE_OPTIONS, HOME: home, PATH };
  return {
    said: server.said,
    places: [[home, SHOWN_HOME]],
    shell: () => openShell({ cwd: checkout, env: ofReader }),
    async client() {
      const { profiles } = JSON.parse(await readFile(path.join(home, '.config/weir/profiles.json'), 'utf8'));
      return profiles.dev;
    },
    stop,
  };
}

/** The server's process: what it says, whether it became ready, and its end with everything it has made. */
function startServer(weir: string, cwd: string, env: NodeJS.ProcessEnv) {
  const options = { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  const child = spawn(process.execPath, [weir, 'dev', 'up', '--demo'], options);
  const end = () => void child.kill('SIGTERM');
  process.once('exit', end);
  const said = { stdout: '', stderr: '' };
  const ended = new Promise<boolean>((resolve) => child.once('close', () => resolve(false)));
  const running = new Promise<boolean>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.stderr += text;
      if (said.stderr.includes(READY)) resolve(true);
    });
  });
  return {
    said,
    ready: Promise.race([running, ended]),
    async stop() {
      end();
      await ended;
      process.off('exit', end);
      const reset = spawn(process.execPath, [weir, 'dev', 'reset', '--yes'], { env, cwd, stdio: 'ignore' });
      await new Promise((resolve) => reset.once('close', resolve));
    },
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
  await cp(path.join(root, 'weir'), path.join(checkout, 'weir'));
  const launcher = JSON.stringify(path.join(root, 'cli', 'bin', 'launch.mjs'));
  await writeFile(
    path.join(checkout, 'cli', 'bin', 'weir.mjs'),
    `import { launch } from ${launcher};
const words = process.argv.slice(2);
const isHere = words[0] === 'dev';
launch('cli/src/main.ts', isHere ? [...words, '--data-dir', ${JSON.stringify(dataDir)}] : words);
`,
  );
}
