import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { durationText } from '../../duration.ts';

/** Says what the development server does, a line a step, on stderr. */
export interface Reporter {
  /** A step that takes a while has begun. */
  begin(what: string): void;
  /** A step has been done since `started` (performance.now). */
  done(what: string, started: number, leads?: string): void;
  failed(what: string): void;
  line(text: string): void;
}

const COLUMN = 62;

/** Lines with a mark, what was done, how long it took and where it leads. */
export function reporter(stream: Writable, color: boolean): Reporter {
  const mark = (sign: string, style: 'green' | 'red' | 'cyan') =>
    color ? styleText(style, sign, { validateStream: false }) : sign;
  const write = (text: string) => stream.write(`${text}\n`);
  return {
    begin: (what) => write(`  ${mark('▸', 'cyan')} ${what}`),
    done(what, started, leads) {
      const space = ' '.repeat(Math.max(1, COLUMN - stringWidth(what)));
      const time = durationText(performance.now() - started).padStart(8);
      write(`  ${mark('✓', 'green')} ${what}${space}${time}${leads === undefined ? '' : `   → ${leads}`}`);
    },
    failed: (what) => write(`  ${mark('✗', 'red')} ${what}`),
    line: (text) => write(text),
  };
}
