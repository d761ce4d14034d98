import { recordLines } from './record-lines.ts';
import type { RowSink, SinkOptions } from './row-sink.ts';

/** Hands rows on as RECORD lines, for a reader that takes no segments. */
export function lineSink(options: SinkOptions): RowSink {
  return {
    async take({ bytes }) {
      const { lines, count } = recordLines(options, bytes);
      await options.emit.lines(lines, count);
    },
    finish: async () => undefined,
    discard: async () => undefined,
  };
}
