import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** The folder as a tar stream in which everything belongs to root. A link made beside a file meanwhile is no change of it. */
export function tarFolder(folder: string): Readable {
  const owners = ['--owner=0', '--group=0', '--warning=no-file-changed'];
  return spawn('tar', ['-C', folder, ...owners, '-cf', '-', '.'], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout;
}
