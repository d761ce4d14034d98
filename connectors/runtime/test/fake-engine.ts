import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';

/** A status and a body; `hold` never answers. */
export type EngineSays = readonly [status: number, body?: object] | 'hold';
/** Answers by method and path, such as `GET /info`. */
export type EngineTable = Readonly<Record<string, EngineSays | (() => EngineSays)>>;

const NETWORK = { Driver: 'bridge', Options: { 'com.docker.network.bridge.enable_icc': 'false' } };

/** What an engine that is ready for connectors says of itself, but for the limits, which have to be waived. */
export const READY: EngineTable = {
  'GET /version': [200, { Version: '1' }],
  'GET /info': [200, { ID: 'fake', SecurityOptions: ['name=rootless', 'name=seccomp,profile=builtin'] }],
  'GET /networks/weir-connectors': [200, NETWORK],
  'GET /containers/json': [200, []],
};

export interface FakeEngine {
  socketPath: string;
  /** A folder for the workspaces of its runs, empty at first. */
  workspaceRoot: string;
  /** What it was asked, such as `GET /info`; a connection that is handed over is `attach`. */
  asked: string[];
}

interface FakeMore {
  onAsked?: () => void;
  /** Gets the connection of an attach. */
  upgraded?: (socket: Duplex) => void;
  /** Answers what is not in the table; with 404 when absent. */
  otherwise?: (what: string, body: string) => EngineSays;
}

/** An engine behind a socket that answers from a table. */
export async function fakeEngine(
  t: { teardown(end: () => unknown): unknown },
  table: EngineTable,
  { onAsked = () => {}, upgraded, otherwise = () => [404, { message: 'not known' }] }: FakeMore = {},
): Promise<FakeEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-engine-'));
  const socketPath = join(folder, 'docker.sock');
  const workspaceRoot = join(folder, 'workspace');
  await mkdir(workspaceRoot, { mode: 0o711 });
  const asked: string[] = [];
  const note = (what: string) => {
    asked.push(what);
    onAsked();
  };
  const server = createServer(async (request, answer: ServerResponse) => {
    const what = `${request.method} ${new URL(request.url ?? '', 'http://engine').pathname}`;
    const body = await text(request);
    note(what);
    const entry = table[what] ?? otherwise(what, body);
    const says = typeof entry === 'function' ? entry() : entry;
    if (says === 'hold') return;
    const [status, said] = says;
    answer.writeHead(status, { 'content-type': 'application/json' });
    answer.end(said === undefined ? undefined : JSON.stringify(said));
  });
  server.on('upgrade', (_request, socket) => {
    upgraded?.(socket);
    note('attach');
  });
  await new Promise<void>((listening) => server.listen(socketPath, listening));
  await chmod(socketPath, 0o660);
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { socketPath, workspaceRoot, asked };
}
