import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a block printed, both streams in one as a terminal shows them, and how it ended. */
export interface Said {
  output: string;
  code: number;
}

/** One bash that keeps folder, variables and aliases from block to block, as the terminal of a reader does. */
export interface Shell {
  run(script: string): Promise<Said>;
  end(): Promise<void>;
}

/** Starts the shell; it reads nothing of the user's own set-up. */
export async function openShell(options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<Shell> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-shell-'));
  const child = spawn('bash', ['--noprofile', '--norc'], { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let answer: ((code: number) => void) | undefined;
  child.stdout.setEncoding('utf8').on('data', (line: string) => answer?.(Number(line.trim())));
  const [script, output] = [path.join(folder, 'block.sh'), path.join(folder, 'output')];
  child.stdin.write('shopt -s expand_aliases\n');
  return {
    async run(text) {
      await writeFile(script, `${text}\n`);
      const ended = new Promise<number>((resolve) => {
        answer = resolve;
      });
      child.stdin.write(`. '${script}' > '${output}' 2>&1 < /dev/null; echo $?\n`);
      const code = await Promise.race([ended, gone.then(() => -1)]);
      return { code, output: await readFile(output, 'utf8').catch(() => '') };
    },
    async end() {
      child.stdin.end();
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
