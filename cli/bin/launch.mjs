// Runs on whatever Node the user has (18 or newer), before anything is installed: only node: modules, plain JavaScript.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleOf } from '../../lib/processes/src/program/bundle-of.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const WANTED_MAJOR = 24;
/** Exit code of a start that was refused (sysexits EX_CONFIG). */
const REFUSED = 78;
// Node keeps its compiled code there, types stripped: every later start of a process of ours takes a third of the time.
const COMPILE_CACHE = path.join(ROOT, 'node_modules', '.cache', 'node-compile');
const NODE_FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];

const readLock = (file) => {
  try {
    return JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
};

/**
 * Whether node_modules holds what package-lock.json asks for. Compared by content, not by time stamps: a checkout
 * gives every file the same age. Optional packages of other platforms may be absent; this platform's Node and the links to
 * the packages of the workspace may not. The versions of those are in the checkout itself, and nothing installs them.
 */
function dependenciesPresent() {
  const wanted = readLock('package-lock.json');
  const installed = readLock('node_modules/.package-lock.json');
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(
    ([name, entry]) =>
      !name.includes('node_modules/') ||
      (entry.link === true
        ? existsSync(path.join(ROOT, name))
        : installed[name]?.version === entry.version || (entry.optional === true && !installed[name])),
  );
}

/**
 * Installs what the lock file names, with the npm that started us or the one on PATH; its words go to stderr, since
 * stdout belongs to the program. Not `npm ci`: that refuses a lock file without the binaries of other platforms, which
 * a registry may not carry; `--no-save` leaves the lock file as it is and installs the versions that it names.
 */
function installDependencies() {
  const started = Date.now();
  process.stderr.write('  ▸ dependencies: npm install\n');
  const npm = process.env.npm_execpath;
  const args = ['install', '--no-save', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'];
  const [command, argv] = npm?.endsWith('.js') ? [process.execPath, [npm, ...args]] : ['npm', args];
  const done = spawnSync(command, argv, { cwd: ROOT, stdio: ['ignore', 2, 'pipe'], encoding: 'utf8' });
  if (done.status !== 0) refuse(installFault(done));
  process.stderr.write(done.stderr);
  process.stderr.write(`  ✓ dependencies ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

/** Codes of a network without the registry in it. */
const NO_CONNECTION = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/;

/** What to do where npm reached nobody; else what npm says. */
function installFault({ stderr, error, status, signal }) {
  const lost = NO_CONNECTION.exec(stderr ?? '')?.[0];
  if (lost === undefined)
    return `npm install failed (${error?.message ?? `exit ${status ?? signal}`})\n${stderr ?? ''}`;
  const registry = /https?:\/\/[^\s/]+/.exec(stderr)?.[0] ?? 'the package registry';
  return `no connection to ${registry} (${lost})
  behind a proxy:     export npm_config_proxy=http://proxy:3128 npm_config_https_proxy=http://proxy:3128
  another registry:   export npm_config_registry=https://registry.example.com`;
}

function refuse(reason) {
  process.stderr.write(`weir: ${reason}\n`);
  process.exit(REFUSED);
}

function findNode() {
  const bundled = path.join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(bundled)) return bundled;
  if (Number(process.versions.node.split('.')[0]) >= WANTED_MAJOR) return process.execPath;
  return refuse(
    `no Node ${WANTED_MAJOR} for ${process.platform}-${process.arch}: run this with Node ${WANTED_MAJOR} or newer (this is ${process.version})`,
  );
}

/** Runs a bundle in this process, which is the Node that it is for. */
function here(bundle, { args, env }) {
  Object.assign(process.env, env);
  module.enableCompileCache(env.NODE_COMPILE_CACHE);
  process.argv.splice(1, process.argv.length, bundle, ...args);
  return import(pathToFileURL(bundle).href);
}

/**
 * Runs a TypeScript file of this checkout with Node 24 and ends as it ends: same exit code, or the same signal as
 * exit code 128 + n. Dependencies are installed first when they are missing or stale.
 */
export function launch(script, args) {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, WEIR_LAUNCHED_AT: String(Date.now()) };
  // What was bundled from these very lock files needs no look at them.
  let bundle = bundleOf(ROOT, script);
  if (bundle !== undefined && NODE_FLAGS.every((flag) => process.execArgv.includes(flag)))
    return here(bundle, { args, env });
  if (bundle === undefined && !dependenciesPresent()) {
    installDependencies();
    const build = path.join(ROOT, 'cli', 'build.ts');
    if (existsSync(build)) spawnSync(findNode(), [...NODE_FLAGS, build], { env, stdio: ['ignore', 2, 2] });
    bundle = bundleOf(ROOT, script);
  }
  const file = bundle ?? path.resolve(ROOT, script);
  const child = spawn(findNode(), [...NODE_FLAGS, file, ...args], { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal sends Ctrl-C to the whole group, the child included; once more from us would read as "now, at once".
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on('error', (error) => refuse(`cannot start Node ${WANTED_MAJOR}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
