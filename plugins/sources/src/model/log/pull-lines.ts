import type { PullProgress, RunImage } from '@weir/connector-runtime';
import type { RunLogEntry } from '@weir/plugin-platform/contract';

/** How often a pull that goes on is told of. */
const TELL_EVERY_MS = 10_000;
const BYTES_PER_MIB = 1024 * 1024;

/** The words in which a pull is told of: that it begins, how far it is every ten seconds, and which image came of it. */
export function pullLines(write: (entry: RunLogEntry) => void, now: () => number = () => performance.now()) {
  let toldAt: number | undefined;
  const tell = (message: string, fields: RunLogEntry['fields'] = {}) => {
    toldAt = now();
    write({ level: 'info', step: 'pull', message, fields });
  };
  return {
    progress({ image, bytes, totalBytes }: PullProgress): void {
      const soFar = `pulled ${mebibytes(bytes)} of ${mebibytes(totalBytes)} MiB of the layers known so far`;
      if (toldAt === undefined) tell(`the image is pulled: ${image}`);
      else if (now() - toldAt >= TELL_EVERY_MS) tell(soFar, { bytes, total_bytes: totalBytes });
    },
    /** The image is run; told of when it was pulled for that. */
    runs({ digest }: Pick<RunImage, 'digest'>): void {
      if (toldAt !== undefined) tell(`the image is here: ${digest}`, { digest });
    },
  };
}

const mebibytes = (bytes: number): string => (bytes / BYTES_PER_MIB).toFixed(1);
