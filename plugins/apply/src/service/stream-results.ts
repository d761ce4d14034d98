import { PassThrough, type Readable } from 'node:stream';
import type { AppliedView } from '../contract.ts';

type Work = (ended: (result: AppliedView) => void) => Promise<{ status: string }>;

/** Lines of results as their documents end; a reader that goes does not stop the work. */
export function resultLines(work: Work, failed: (error: unknown) => object): Readable {
  const lines = new PassThrough();
  // An answer that is gone takes no more lines.
  lines.on('error', () => undefined);
  const write = (line: object) => {
    if (!lines.destroyed) lines.write(`${JSON.stringify(line)}\n`);
  };
  const carry = async () => {
    try {
      const { status } = await work(write);
      write({ status });
    } catch (error) {
      write(failed(error));
    } finally {
      if (!lines.destroyed) lines.end();
    }
  };
  void carry();
  // An idempotency key remembers that the work was begun, and no line of it.
  return Object.assign(lines, { toJSON: () => null });
}
