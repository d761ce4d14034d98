import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { toolCache } from '@weir/embedded';

const run = promisify(execFile);
const MODULE = path.join(import.meta.dirname, 'go.mod');
const PROGRAM = 'github.com/grafana/loki/v3/cmd/loki';
const MAX_WORDS = 64 * 1024 * 1024;

/**
 * The program file of the Loki that `go.mod` names: built once in the tool cache, by Go 1.26 and from its module proxy, with
 * one core and what the machine has left. Ten minutes alone, half an hour beside other work, and 5 GB meanwhile. What was
 * fetched for it goes again.
 */
export async function lokiProgram(say: (line: string) => void): Promise<string> {
  const hash = createHash('sha256')
    .update(await readFile(MODULE))
    .digest('hex');
  const program = path.join(toolCache(), `loki-${hash.slice(0, 16)}`);
  if (existsSync(program)) return program;
  const draft = `${program}.${randomBytes(6).toString('hex')}`;
  const [modules, builds, temporary] = ['modules', 'builds', 'tmp'].map((name) => path.join(draft, name)) as [
    string,
    string,
    string,
  ];
  const env = {
    ...process.env,
    ...{ GOMODCACHE: modules, GOCACHE: builds, GOTMPDIR: temporary },
    ...{ CGO_ENABLED: '0', GOMAXPROCS: '1', GOFLAGS: '-mod=mod -modcacherw', GOWORK: 'off' },
  };
  const go = (...args: string[]) => run('nice', ['-n', '19', 'go', ...args], { cwd: draft, env, maxBuffer: MAX_WORDS });
  try {
    await mkdir(temporary, { recursive: true });
    await copyFile(MODULE, path.join(draft, 'go.mod'));
    say('  ▸ Loki: its modules');
    await go('get', PROGRAM);
    say('  ▸ Loki is built: ten minutes, or more beside other work');
    await go('build', '-p', '1', '-trimpath', '-ldflags', '-s -w', '-o', path.join(draft, 'loki'), PROGRAM);
    await rename(path.join(draft, 'loki'), program);
    return program;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
