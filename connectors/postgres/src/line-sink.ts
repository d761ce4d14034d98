import { csvRow } from './csv-row.ts';
import { recordLines } from './record-lines.ts';
import type { RowSink, SinkOptions } from './row-sink.ts';

/** Hands rows on as RECORD lines, for a reader that takes no segments. */
export function lineSink(options: SinkOptions): RowSink {
  return {
    form: 'csv',
    async take({ bytes }) {
      const { lines, count } = recordLines(options, bytes);
      await options.emit.lines(lines, count);
    },
    finish: async () => undefined,
    lastRow: ({ bytes, lastAt }) => csvRow(bytes, lastAt),
  };
}
