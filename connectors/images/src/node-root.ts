import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM_FOLDER = '/usr/local/bin';
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
/** What the C library opens by name when a host name is looked up. */
const NAME_SERVICES = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];
const LOADED = /(?:=> )?(\/\S+) \(0x/;
const ETC: Readonly<Record<string, string>> = {
  'etc/passwd': 'root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n',
  'etc/group': 'root:x:0:\nnogroup:x:65534:\n',
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/** The shared objects that the loader would map for a program, itself included, each under its own path. */
async function sharedObjects(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', [program]);
  return stdout.split('\n').flatMap((line) => LOADED.exec(line)?.[1] ?? []);
}

/** A second name for the file where the file system can, a copy where it cannot. Links are followed. */
async function place(file: string, target: string): Promise<void> {
  if (existsSync(target)) return;
  await mkdir(path.dirname(target), { recursive: true });
  const real = await realpath(file);
  await link(real, target).catch(() => copyFile(real, target));
}

/** Puts a program of this machine and the libraries that it needs below `root`, each under its own path. */
export async function placeProgram(root: string, program: string, target = program): Promise<void> {
  await place(program, path.join(root, target));
  for (const file of await sharedObjects(program)) await place(file, path.join(root, file));
}

/**
 * Makes a root file system that runs Node and nothing else: its program, which is the one that runs us, the libraries of
 * this machine that it needs, and the certificate authorities that this machine believes. Gives a word that changes when
 * the content does.
 */
export async function nodeRoot(root: string, node = process.execPath): Promise<string> {
  await mkdir(root, { recursive: true });
  await placeProgram(root, node, path.join(PROGRAM_FOLDER, 'node'));
  const objects = await sharedObjects(node);
  const libc = objects.find((file) => path.basename(file).startsWith('libc.so'));
  if (libc === undefined) throw new Error('this machine has no shared C library');
  const named = NAME_SERVICES.map((name) => path.join(path.dirname(libc), name)).filter((file) => existsSync(file));
  for (const file of named) await place(file, path.join(root, file));
  if (existsSync(AUTHORITIES)) await place(AUTHORITIES, path.join(root, AUTHORITIES));
  for (const [file, text] of Object.entries(ETC)) await writeFile(path.join(root, file), text);
  await mkdir(path.join(root, 'tmp'), { recursive: true });
  await chmod(path.join(root, 'tmp'), 0o1777);
  const files = [node, ...objects, ...named];
  const sizes = await Promise.all(
    files.map(async (file) => [file, (await stat(file)).size, (await stat(file)).mtimeMs]),
  );
  return createHash('sha256')
    .update(JSON.stringify([process.version, sizes]))
    .digest('hex')
    .slice(0, 12);
}
