import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import {
  type Arguments,
  type ConfiguredCatalog,
  EXIT,
  failedCheck,
  KIT_FAULTS,
  type Output,
  parseExact,
  SourceError,
  type State,
  toSourceError,
} from '@weir/connector-sdk';
import { catalogOf, descriptorOf, keyOf, parseCatalog, type SingerCatalog, selected } from './singer-catalog.ts';
import { askTap, startTap, withFiles } from './tap.ts';
import { translation } from './translate.ts';

/** Any configuration, for taps that do not say what theirs is. */
const ANY_CONFIGURATION = { type: 'object', additionalProperties: true, properties: {} };

export type Bridge = { readonly tap: string; readonly output: Output; readonly signal: AbortSignal };

/** Answers one verb of the protocol by a tap, and gives the exit code. What goes wrong is a TRACE ERROR and 1. */
export async function answerByTap(bridge: Bridge, asked: Arguments): Promise<number> {
  const { output, signal } = bridge;
  try {
    await VERBS[asked.verb](bridge, asked);
    return signal.aborted ? EXIT.stopped : EXIT.ok;
  } catch (error) {
    if (signal.aborted) return EXIT.stopped;
    await output.error(toSourceError(error));
    return EXIT.failed;
  }
}

const VERBS: Readonly<Record<Arguments['verb'], (bridge: Bridge, asked: Arguments) => Promise<void>>> = {
  async spec({ tap, output, signal }) {
    const about = await askTap(tap, ['--about', '--format=json'], signal);
    await output.message({ type: 'SPEC', spec: { connectionSpecification: settingsOf(about) } });
  },
  async check(bridge, asked) {
    const outcome = await discovered(bridge, asked).then(
      () => ({ status: 'SUCCEEDED' }) as const,
      (error: unknown) => failedCheck(error),
    );
    await bridge.output.message({ type: 'CONNECTION_STATUS', connectionStatus: outcome });
  },
  async discover(bridge, asked) {
    await bridge.output.message({ type: 'CATALOG', catalog: catalogOf(await discovered(bridge, asked)) });
  },
  read,
};

/** The schema of a tap's settings as its SDK prints them. */
function settingsOf(about: string | undefined) {
  try {
    const { settings } = JSON.parse(about ?? '') as { settings?: { type?: string } };
    return settings?.type === 'object' ? settings : ANY_CONFIGURATION;
  } catch {
    return ANY_CONFIGURATION;
  }
}

const textOf = (file: string | undefined) => readFile(file ?? '', 'utf8');

async function discovered({ tap, signal }: Bridge, { config }: Arguments): Promise<SingerCatalog> {
  const said = await withFiles({ config: await textOf(config) }, (flags) =>
    askTap(tap, [...flags, '--discover'], signal),
  );
  const catalog = said === undefined ? undefined : parseCatalog(said);
  if (catalog !== undefined) return catalog;
  const code = said === undefined ? 'tap_discovery_failed' : 'tap_catalog_invalid';
  throw new SourceError(code, KIT_FAULTS[code]);
}

async function read(bridge: Bridge, asked: Arguments): Promise<void> {
  const wanted = JSON.parse(await textOf(asked.catalog)) as ConfiguredCatalog;
  const keepsState = wanted.streams.some(({ sync_mode }) => sync_mode === 'incremental');
  const known = await discovered(bridge, asked);
  const names = new Set(wanted.streams.map(({ stream }) => keyOf(stream)));
  const streams = new Map(
    known.streams
      .map((stream) => [stream.stream ?? stream.tap_stream_id, descriptorOf(stream)] as const)
      .filter(([, descriptor]) => names.has(keyOf(descriptor))),
  );
  const { output, signal, tap } = bridge;
  const says = translation({ output, streams, emittedAt: Date.now(), keepsState });
  const files = {
    config: await textOf(asked.config),
    catalog: JSON.stringify(selected(known, wanted)),
    state: keepsState && asked.state !== undefined ? lastState(await textOf(asked.state)) : undefined,
  };
  const code = await withFiles(files, async (flags) => {
    const { process: child, exited } = await startTap(tap, flags);
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      if (child.stdout !== null)
        for await (const line of createInterface({ input: child.stdout })) await says.line(line);
      return await exited;
    } finally {
      signal.removeEventListener('abort', stop);
      child.kill('SIGKILL');
    }
  });
  await says.end(code === 0);
  if (code === 0 || signal.aborted) return;
  throw new SourceError('tap_failed', KIT_FAULTS.tap_failed);
}

/** The tap's own value in what was kept of it; undefined at the first read. Its numbers keep their text. */
function lastState(text: string): string | undefined {
  const states = parseExact(text) as readonly State[];
  const { global } = states.find(({ type }) => type === 'GLOBAL') ?? {};
  const { shared_state: value } = (global ?? {}) as { shared_state?: unknown };
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}
