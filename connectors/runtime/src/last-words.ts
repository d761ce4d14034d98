import type { Message, TraceError } from '@weir/connector-sdk';
import type { ConnectorErrorCode } from './connector-error.ts';
import type { ConnectorProcess } from './connector-runtime.ts';

/** What systems and run times say when a bound is reached; the first that is found counts. */
const WORDS: readonly (readonly [RegExp, ConnectorErrorCode])[] = [
  // The loader, of a library that was unpacked to where nothing may be run from.
  [/failed to map segment from shared object/, 'runtime_incompatible'],
  // Its inputs are the first that it reads, and nothing else of the platform is there.
  [/(?:[Pp]ermission denied|\bEACCES\b)[^\n]{0,200}\/weir\/inputs\b/, 'workspace_unreadable'],
  [/\/weir\/inputs\b[^\n]{0,200}(?:[Pp]ermission denied|\bEACCES\b)/, 'workspace_unreadable'],
  [/\bENOSPC\b|No space left on device|\bEDQUOT\b|Disk quota exceeded/, 'connector_disk_full'],
  [/\bspawn(?:Sync)?\b.{0,200}\bEAGAIN\b|\bpthread_create\b.{0,80}failed/, 'connector_processes_exhausted'],
  [
    /\b[Cc]an(?:no|')t fork\b|\b[Cc]an't start new thread|unable to create (?:new )?native thread/,
    'connector_processes_exhausted',
  ],
  // A connector that watches its own bound, and run times whose heap is a share of it: more memory helps each of them.
  [
    /memory usage exceeded critical threshold|JavaScript heap out of memory|OutOfMemoryError: (?:Java heap|GC overhead)/,
    'connector_out_of_memory',
  ],
  [
    /\bfork\b.{0,200}Resource temporarily unavailable|_fork_exec[\s\S]{0,400}\[Errno 11\]/,
    'connector_processes_exhausted',
  ],
];

/** How a connector ended, and what it said of that. */
export type LastWords = {
  readonly code: number | undefined;
  /** The end of what it wrote to stderr, and to stdout beside its messages; one that ended well may write anything there. */
  readonly words: string;
  readonly error: TraceError | undefined;
};

/** The bound that a connector came to, by its own words or those of its run time; undefined when they name none. */
export function boundReached({ code, words, error }: LastWords): ConnectorErrorCode | undefined {
  const said = [error?.message, error?.internal_message, error?.stack_trace, code === 0 ? undefined : words];
  const text = said.filter((part) => typeof part === 'string').join('\n');
  return WORDS.find(([words]) => words.test(text))?.[1];
}

/** What servers and HTTP clients say of a server that works for no one, or not now: a number alone may be any. */
const SERVER_DOWN =
  /\b(?:HTTP(?:\/[\d.]+)?|status(?: ?code)?|response(?: code)?|error(?: code)?)\W{0,4}(?:429|50[0234])\b|\b50[0234] (?:Server Error|Service|Bad|Gateway|Internal)|\bService (?:Temporarily )?Unavailable\b|\bBad Gateway\b|\bGateway Time-?out\b|\bInternal Server Error\b|\bToo Many Requests\b/i;

/** Whether words blame the server that a connector asked, not what the connector was given. */
export function saysServerDown(words: unknown): boolean {
  return typeof words === 'string' && SERVER_DOWN.test(words);
}

/** How many of the last texts are kept, and how much of the end of each. */
const MAX_TEXTS = 64;
const MAX_TEXT_CHARS = 2_048;

/** Keeps the end of what a connector says on stdout beside rows and answers: lines that are no messages, and LOG messages. */
export function saidTail() {
  const kept: string[] = [];
  let next = 0;
  const take = (text: string) => {
    // As a text of its own, since a part of one keeps the whole of it in memory.
    kept[next] = text.length <= MAX_TEXT_CHARS ? text : Buffer.from(text.slice(-MAX_TEXT_CHARS)).toString();
    next = (next + 1) % MAX_TEXTS;
  };
  return {
    take(said: Message | string): void {
      for (const text of typeof said === 'string' ? [said] : logTexts(said)) take(text);
    },
    /** That, and the end of stderr. */
    words({ stderrTail }: Pick<ConnectorProcess, 'stderrTail'>): string {
      return [...kept.slice(next), ...kept.slice(0, next), stderrTail()].join('\n');
    },
  };
}

/** Whatever the shape of a LOG message, only texts count. */
function logTexts(message: Message): string[] {
  const { message: text, stack_trace } = ((message as { log?: unknown }).log ?? {}) as Record<string, unknown>;
  return [text, stack_trace].filter((part) => typeof part === 'string');
}
