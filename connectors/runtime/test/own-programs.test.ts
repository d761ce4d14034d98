import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { ownProgram } from '../src/container/own-programs.ts';

const BUILD = path.resolve(import.meta.dirname, '../probe/build.sh');
const COMPILERS = { amd64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' } as const;
/** Those of Debian 12, by which the bytes were made; others make others. */
const GCC = '12.2.0';
const BINUTILS = '2.40';
const run = promisify(execFile);

/** Why this machine cannot make the bytes of an architecture; undefined when it can. */
async function hindrance(tools: string): Promise<string | undefined> {
  try {
    const gcc = (await run(`${tools}-gcc`, ['-dumpfullversion'])).stdout.trim();
    const [binutils] = (await run(`${tools}-ld`, ['--version'])).stdout.split('\n');
    if (gcc === GCC && binutils?.endsWith(` ${BINUTILS}`)) return undefined;
    return `${tools}-gcc is ${gcc} with ${binutils}, not ${GCC} with binutils ${BINUTILS}`;
  } catch {
    return `there is no ${tools}-gcc with its ld`;
  }
}

for (const [architecture, tools] of Object.entries(COMPILERS)) {
  t.test(`the programs for ${architecture}, built from source → the bytes that workers bring`, async (t) => {
    const reason = await hindrance(tools);
    if (reason !== undefined) return t.plan(0, reason);
    for (const program of ['probe', 'sweep', 'read'] as const) {
      const { stdout } = await run('sh', [BUILD, program, architecture]);
      t.equal(
        ownProgram(program, architecture)?.toString('hex'),
        Buffer.from(stdout, 'base64').toString('hex'),
        program,
      );
    }
  });
}
