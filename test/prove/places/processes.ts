import { spawn } from 'node:child_process';
import { descendants, readProcFile } from '../../crash/process-tree.ts';
import type { Look } from '../look.ts';
import type { Place } from '../proof.ts';
import { sampling } from './sampling.ts';

/** How much of one file of /proc is read. */
const KINDS = ['environ', 'cmdline'] as const;
const rounds = sampling();

/** Environment and arguments of every process below this one, sampled several times a second; each new content is searched. */
export const processes: Place = {
  name: 'processes',
  about: '/proc/<pid>/environ and cmdline of every process of the platform and its children, five times a second',
  async leak(_proof, control) {
    const [half] = [`WEIR_PROVE_CONTROL=${control.text}`];
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()', half], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await rounds.seen();
    child.kill('SIGKILL');
  },
  async watch(_proof, look) {
    const seen = new Map<string, string>();
    return rounds.start(() => sample(look, seen));
  },
};

async function sample(look: Look, seen: Map<string, string>): Promise<void> {
  for (const pid of descendants(process.pid))
    for (const kind of KINDS) {
      const content = readProcFile(pid, kind);
      if (content === undefined || content === '') continue;
      const key = `${pid} ${kind}`;
      if (seen.get(key) === content) continue;
      seen.set(key, content);
      await look.bytes(`${kind} of ${nameOf(pid)}`, content);
    }
}

const nameOf = (pid: number) => (readProcFile(pid, 'comm') ?? 'a process that has ended').trim();
