import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { type Arguments, parseArguments, USAGE } from './arguments.ts';
import type { Source } from './define-source.ts';
import { KIT_FAULTS } from './kit-faults.ts';
import { createOutput, type Output } from './output.ts';
import { type ConfiguredCatalog, EXIT, type State } from './protocol.ts';
import { readStreams } from './read-streams.ts';
import { type SegmentLane, segmentLane } from './segment-lane.ts';
import { failedCheck, SourceError, toSourceError } from './source-error.ts';
import { watchStdinLease } from './stdin-lease.ts';

/** How long a connector that was asked to stop may take to come to its last state and write it out. */
export const STOP_FLUSH_MS = 8_000;

/** What `runSource` uses of its process: the streams it speaks on, and the environment that may offer segments. */
export type ProcessStreams = { readonly stdout: Writable; readonly stderr: Writable; readonly env?: NodeJS.ProcessEnv };

/**
 * Runs one command line of the protocol and gives back the exit code: 0, 1 after a reported error, 2 for a command
 * line that is none, 143 after a stop. Everything is written out by then; the program exits with the code. Takes
 * over SIGTERM and SIGINT of the process until it ends.
 */
export async function runSource(
  source: Source,
  argv: readonly string[],
  { stdout, stderr, env = {} }: ProcessStreams = process,
): Promise<number> {
  const parsed = parseArguments(argv);
  if (parsed === undefined) {
    stderr.write(USAGE);
    return EXIT.usage;
  }
  watchStdinLease();
  const output = createOutput(stdout);
  const lane = segmentLane(env);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGTERM', onSignal).once('SIGINT', onSignal);
  try {
    const code = await Promise.race([
      answer({ source, parsed, lane, signal: stop.signal }, output),
      stopped(stop.signal),
    ]);
    return stop.signal.aborted ? EXIT.stopped : code;
  } catch (error) {
    reportFrames(stderr, error);
    return stop.signal.aborted ? EXIT.stopped : EXIT.failed;
  } finally {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
  }
}

type Question = {
  readonly source: Source;
  readonly parsed: Arguments;
  readonly lane: SegmentLane | undefined;
  readonly signal: AbortSignal;
};

async function answer(question: Question, output: Output): Promise<number> {
  let code: number;
  try {
    code = await answerVerb(question, output);
  } catch (error) {
    if (isOutputGone(error)) throw error;
    await output.error(toSourceError(error));
    code = EXIT.failed;
  }
  await output.flush();
  return code;
}

async function answerVerb({ source, parsed, ...context }: Question, output: Output): Promise<number> {
  if (parsed.verb === 'spec') {
    await output.message({ type: 'SPEC', spec: source.spec });
    return EXIT.ok;
  }
  const config = await readJson(parsed.config, 'config_unreadable');
  if (parsed.verb === 'check') {
    await output.message({ type: 'CONNECTION_STATUS', connectionStatus: await checked(source, config) });
    return EXIT.ok;
  }
  if (parsed.verb === 'discover') {
    await output.message({ type: 'CATALOG', catalog: await source.discover(config, output.log) });
    return EXIT.ok;
  }
  const catalog = (await readJson(parsed.catalog, 'catalog_unreadable')) as ConfiguredCatalog;
  const states = parsed.state === undefined ? [] : await readJson(parsed.state, 'state_unreadable');
  if (!Array.isArray(catalog?.streams)) throw unreadable('catalog_unreadable');
  if (!Array.isArray(states)) throw unreadable('state_unreadable');
  const run = { config, catalog, states: states as State[], emittedAt: Date.now(), ...context };
  return (await readStreams(source, run, output)) ? EXIT.ok : EXIT.failed;
}

/** A check that fails is an answer with exit 0, as the protocol has it; what is beside the message is ours. */
async function checked(source: Source, config: unknown) {
  try {
    await source.check(config);
    return { status: 'SUCCEEDED' } as const;
  } catch (error) {
    return failedCheck(error);
  }
}

async function readJson(path: string | undefined, code: Unreadable): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path ?? '', 'utf8')) as unknown;
  } catch (cause) {
    throw unreadable(code, cause);
  }
}

type Unreadable = 'config_unreadable' | 'catalog_unreadable' | 'state_unreadable';

const unreadable = (code: Unreadable, cause?: unknown) => new SourceError(code, { ...KIT_FAULTS[code], cause });

/** Resolves a while after a stop was asked for, whatever still hangs. */
function stopped(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const late = () => setTimeout(resolve, STOP_FLUSH_MS, EXIT.stopped).unref();
    signal.addEventListener('abort', late, { once: true });
  });
}

function isOutputGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED';
}

/** Where it broke, for the log of stderr; without the message, which may hold an input. */
function reportFrames(stderr: Writable, error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  stderr.write(`the connector broke\n${frames.join('\n')}\n`);
}
