import { cpuSince, parentOf, processTree, pssBytes } from '../measure/process-tree.ts';

const SAMPLE_EVERY_MS = 100;
const MIB = 1024 * 1024;

/** What a process and everything below it used while it was watched. */
export interface TreeUse {
  /** The highest sum of all proportional set sizes, and the highest of one direct child, in MiB. */
  rss_mb: number;
  child_mb: number;
  /** Processor time of the process and of all below it that have ended. */
  cpu_s: number;
}

/** Watches a process of a platform, and others whose memory counts too, until `stop`, ten times a second; Linux only. */
export function watchTree(root: number, others: () => readonly number[] = () => []): { stop(): TreeUse } {
  const spent = cpuSince(root);
  let [sum, child] = [0, 0];
  const timer = setInterval(() => {
    const sizes = new Map([...processTree(root), ...others()].map((pid) => [pid, pssBytes(pid)]));
    sum = Math.max(
      sum,
      [...sizes.values()].reduce((total, bytes) => total + bytes, 0),
    );
    for (const [pid, bytes] of sizes) if (parentOf(pid) === root) child = Math.max(child, bytes);
  }, SAMPLE_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return { rss_mb: sum / MIB, child_mb: child / MIB, cpu_s: spent() };
    },
  };
}
