import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { cpuSince, parentOf, peakRssBytes, processTree } from '../measure/process-tree.ts';

const SAMPLE_EVERY_MS = 50;
const MIB = 1024 * 1024;

/** The most that a worker and the processes of its syncs had while they were watched. */
export interface Peaks {
  /** The highest resident set of the worker itself, as its kernel kept it, in MiB. */
  main_mb: number;
  /** The same of the sync process that had most. */
  child_mb: number;
  /** How many sync processes there were at once. */
  children: number;
  /** The most bytes that lay in the folder of the syncs, in MiB. */
  scratch_mb: number;
  /** Processor time of the worker and of all below it that have ended. */
  cpu_s: number;
}

/** Watches a worker and the folder in which its syncs keep what they have read, until `stop`; Linux only. */
export function watchPeaks(worker: number, folder: string): { stop(): Peaks } {
  const spent = cpuSince(worker);
  const peaks = { main: 0, child: 0, children: 0, scratch: 0 };
  const look = () => {
    const children = processTree(worker).filter((pid) => parentOf(pid) === worker);
    peaks.main = Math.max(peaks.main, peakRssBytes(worker));
    peaks.child = Math.max(peaks.child, ...children.map(peakRssBytes));
    peaks.children = Math.max(peaks.children, children.length);
    peaks.scratch = Math.max(peaks.scratch, bytesBelow(folder));
  };
  const timer = setInterval(look, SAMPLE_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      const { main, child, children, scratch } = peaks;
      const sizes = { main_mb: main / MIB, child_mb: child / MIB, scratch_mb: scratch / MIB };
      return { ...sizes, children, cpu_s: spent() };
    },
  };
}

/** What the files of a folder take on the disk; those that go meanwhile count for nothing. */
function bytesBelow(folder: string): number {
  let sum = 0;
  for (const entry of entriesOf(folder)) {
    const place = path.join(folder, entry.name);
    sum += entry.isDirectory() ? bytesBelow(place) : (statSync(place, { throwIfNoEntry: false })?.size ?? 0);
  }
  return sum;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
