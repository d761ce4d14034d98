import type { QueryClient } from '@tanstack/react-query';
import {
  createUpload,
  type DiscoveryStatusView,
  getDiscoveryStatus,
  getSyncStatus,
  type SourceView,
  type SyncRunDetailView,
  startDiscovery,
  startSync,
} from '@weir/plugin-sources/contract';
import { ask, type Connection } from '../../api/ask.ts';
import { UnreachableError } from '../../api/problem-error.ts';
import { sendFile } from '../../api/send-file.ts';
import { makeSource } from '../create/make-source.ts';
import { configOf, type Tables } from './load-plan.ts';

export interface ToLoad {
  files: readonly File[];
  name: string;
  tables: Tables;
}

/** How far a load is. What is reached stays when a later step fails, and is not done again. */
export interface Reached {
  sentBytes: number;
  /** How many files have arrived. */
  sentFiles: number;
  upload?: { id: string; location: string };
  discovery?: DiscoveryStatusView;
  source?: SourceView;
  run?: SyncRunDetailView;
  /** The server does not answer at the moment. */
  isLost?: boolean;
}

export const NOTHING: Reached = { sentBytes: 0, sentFiles: 0 };

const PATTERN = 'files';
const LOOK_AGAIN_MS = 500;

interface Loading {
  connection: Connection;
  queries: QueryClient;
  signal: AbortSignal;
  /** Called with what is new. */
  reach(more: Partial<Reached>): void;
}

/** Sends files, looks into them, makes a source of all that is in them and syncs it; goes on from what is reached. */
export async function loadFiles(toLoad: ToLoad, from: Reached, loading: Loading): Promise<void> {
  const location = await sendAll(toLoad.files, from, loading);
  const config = configOf(location, toLoad.name, toLoad.tables);
  const discovery = await discover(config, from.discovery, loading);
  if (discovery.failure !== null) return;
  const source = from.source ?? (await make(toLoad, config, discovery, loading));
  loading.reach({ source });
  await sync(source.source_id, from.run, loading);
}

async function sendAll(files: readonly File[], from: Reached, { connection, signal, reach }: Loading): Promise<string> {
  let { upload } = from;
  const bytesOf = (some: readonly File[]) => some.reduce((sum, { size }) => sum + size, 0);
  for (const [at, file] of files.entries()) {
    if (at < from.sentFiles) continue;
    const before = bytesOf(files.slice(0, at));
    const query = { name: file.name, ...(upload === undefined ? {} : { upload_id: upload.id }) };
    const sent = await sendFile(
      connection,
      createUpload,
      { query },
      {
        file,
        signal,
        onProgress: (bytes) => reach({ sentBytes: before + Math.min(bytes, file.size) }),
      },
    );
    upload = { id: sent.upload_id, location: sent.location };
    reach({ upload, sentFiles: at + 1, sentBytes: before + file.size });
  }
  if (upload === undefined) throw new Error('There is no file to load.');
  return upload.location;
}

async function discover(
  source_config: Record<string, unknown>,
  known: DiscoveryStatusView | undefined,
  { connection, signal, reach }: Loading,
): Promise<DiscoveryStatusView> {
  const open = known !== undefined && (known.failure === null || !known.is_terminal);
  const workflow_id = open
    ? known.workflow_id
    : (await ask(connection, startDiscovery, { body: { pattern_id: PATTERN, source_config } }, { signal })).workflow_id;
  for (;;) {
    const status = await patiently(reach, () =>
      ask(connection, getDiscoveryStatus, { params: { workflow_id } }, { signal }),
    );
    if (status !== undefined) reach({ discovery: status });
    if (status?.is_terminal) return status;
    await pause(signal);
  }
}

function make(
  { name }: ToLoad,
  config: Record<string, unknown>,
  { workflow_id, streams }: DiscoveryStatusView,
  { connection, queries }: Loading,
): Promise<SourceView> {
  const found = streams ?? [];
  const chosen = new Set(found.map((stream) => stream.name));
  return makeSource(connection, queries, {
    ...{ name, patternId: PATTERN, config, discovery: workflow_id },
    ...{ hasCredentials: false, found, chosen },
  });
}

async function sync(
  source_id: string,
  known: SyncRunDetailView | undefined,
  { connection, signal, reach }: Loading,
): Promise<void> {
  const params = { source_id };
  const open = known !== undefined && !known.is_terminal;
  const run_id = open ? known.run_id : (await ask(connection, startSync, { params }, { signal })).run_id;
  for (;;) {
    const status = await patiently(reach, () =>
      ask(connection, getSyncStatus, { params, query: { run_id } }, { signal }),
    );
    const run = status?.run ?? undefined;
    if (run !== undefined) reach({ run });
    if (run?.is_terminal) return;
    await pause(signal);
  }
}

/** A server that does not answer for a moment ends no load that it carries out itself. */
async function patiently<T>(reach: Loading['reach'], look: () => Promise<T>): Promise<T | undefined> {
  const found = await look().catch((error: unknown) => {
    if (error instanceof UnreachableError) return undefined;
    throw error;
  });
  reach({ isLost: found === undefined });
  return found;
}

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, LOOK_AGAIN_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
