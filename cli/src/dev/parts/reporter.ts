import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { durationText } from '../../duration.ts';
import { cut, NARROW } from '../../output/fit.ts';

/** Says what the development server does, a line a step, on stderr. */
export interface Reporter {
  /** A step that takes a while has begun. */
  begin(what: string): void;
  /** Shows on a terminal that `name` is under way until `work` has ended. */
  during<T>(name: string, work: Promise<T>): Promise<T>;
  /** A step has been done since `started` (performance.now). */
  done(what: string, started: number): void;
  failed(what: string): void;
  line(text: string): void;
}

const COLUMN = 64;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const FRAME_MS = 120;

/** Lines of at most 80 columns: a mark, what was done, how long it took. */
export function reporter(stream: Writable, color: boolean): Reporter {
  const mark = (sign: string, style: 'green' | 'red' | 'cyan') =>
    color ? styleText(style, sign, { validateStream: false }) : sign;
  const running = runningLine(stream as NodeJS.WriteStream);
  const write = (text: string) => running.above(() => stream.write(`${text}\n`));
  return {
    begin: (what) => write(`  ${mark('▸', 'cyan')} ${what}`),
    during: (name, work) => {
      running.add(name);
      return work.finally(() => running.remove(name));
    },
    done(what, started) {
      const text = cut(what, COLUMN);
      const space = ' '.repeat(COLUMN - stringWidth(text));
      const time = durationText(performance.now() - started).padStart(10);
      write(`  ${mark('✓', 'green')} ${text}${space}${time}`);
    },
    failed: (what) => write(`  ${mark('✗', 'red')} ${what}`),
    line: (text) => write(text),
  };
}

const ERASE = '\r\u001b[2K';

/** The last line of a terminal, redrawn while parts are under way; nothing where there is no terminal. */
function runningLine(stream: NodeJS.WriteStream) {
  if (stream.isTTY !== true) return { above: (write: () => void) => write(), add() {}, remove() {} };
  const since = new Map<string, number>();
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const show = () => {
    const seconds = Math.floor((performance.now() - Math.min(...since.values())) / 1_000);
    frame = (frame + 1) % FRAMES.length;
    const text = `  ${FRAMES[frame]} ${[...since.keys()].join(', ')} … ${seconds} s`;
    stream.write(ERASE + cut(text, Math.min(stream.columns || NARROW, NARROW) - 1));
  };
  return {
    above(write: () => void) {
      if (since.size > 0) stream.write(ERASE);
      write();
      if (since.size > 0) show();
    },
    add(name: string) {
      since.set(name, performance.now());
      timer ??= setInterval(show, FRAME_MS).unref();
    },
    remove(name: string) {
      since.delete(name);
      stream.write(ERASE);
      if (since.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
