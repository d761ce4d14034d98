import { createScrubber, type Scrubber } from '@weir/connector-runtime';
import type { BenchCase, BenchOptions, BenchResult } from './bench-result.ts';

const LINES = 10_000;
const LINE_CHARS = 900;
const PIECE_CHARS = 64 * 1024;
const MOST_CPU_S = 3;
const US_PER_SECOND = 1_000_000;
const SECRETS = ['p&ss<w>ord=1/2+3', 'eyJhbGciOiJIUzI1NiJ9.c2VjcmV0LXRva2VuLTg4NDE', 'Zx-8841-sesame'];
/** Escapes of JSON, a URL and HTML: what a masker has to decode, in each order. */
const HOSTILE = String.raw`{"path":"C:\\temp\\x","url":"https://a.example/b?c=%26%20d&e=f&amp;g","t":"caf\u00e9"} `;

/** What masking the log of a connector costs: lines full of escapes, as they come from standard error and as messages. */
export async function masking({ quick }: BenchOptions): Promise<BenchResult> {
  const count = quick ? LINES / 100 : LINES;
  const hostile = Array.from({ length: count }, (_, at) => lineOf(`${at} ${HOSTILE}`));
  const cases = [
    masked('stderr, a line a piece', hostile, inPieces),
    masked('stderr, 64 KiB a piece', cut(hostile.join('')), inPieces),
    masked('messages', hostile, (scrubber, lines) => void lines.map((line) => scrubber.text(line))),
    masked('stderr without escapes', hostile.map(plain), inPieces),
  ];
  return { suite: 'masking', cases };
}

function masked(name: string, texts: readonly string[], mask: typeof inPieces): BenchCase {
  const before = process.cpuUsage();
  const began = performance.now();
  mask(createScrubber(SECRETS), texts);
  const { user, system } = process.cpuUsage(before);
  return {
    case: name,
    note: `${LINES} lines of ${LINE_CHARS} characters with three credentials; the masker alone.`,
    cpu_s: (user + system) / US_PER_SECOND,
    wall_s: (performance.now() - began) / 1_000,
    bars: [{ figure: 'cpu_s', most: MOST_CPU_S }],
  };
}

function inPieces(scrubber: Scrubber, texts: readonly string[]): void {
  const pieces = scrubber.pieces();
  for (const text of texts) pieces.push(text);
  pieces.end();
}

const lineOf = (text: string) => `${text.repeat(Math.ceil(LINE_CHARS / text.length)).slice(0, LINE_CHARS - 1)}\n`;
const plain = (line: string) => line.replace(/[\\%&]/g, 'x');

const cut = (text: string) =>
  Array.from({ length: Math.ceil(text.length / PIECE_CHARS) }, (_, at) =>
    text.slice(at * PIECE_CHARS, (at + 1) * PIECE_CHARS),
  );
