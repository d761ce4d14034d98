import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { peerProgram } from './python-env.ts';

const PROGRAM = fileURLToPath(new URL('iceberg_peer.py', import.meta.url));

/** What the peer is told at its start. */
export interface PeerSettings {
  /** SQLAlchemy URL and local folder of PyIceberg's own catalog, for appends. */
  catalog?: string;
  warehouse?: string;
  /** PyIceberg's properties of an S3 store. */
  s3?: Record<string, string>;
  /** DuckDB's extensions by name, in the order to be loaded, and statements behind them. */
  extensions?: readonly string[];
  setup?: readonly string[];
}

/** PyIceberg and DuckDB's Iceberg extension in one Python process that goes on living between actions. */
export interface IcebergPeer {
  /** Does one action; how long it took by the clock of the process, and how many rows came of it. */
  act(request: Record<string, unknown>): Promise<{ ms: number; rows: number }>;
  stop(): Promise<void>;
}

/** Starts the peer; the first action waits until it is ready. */
export async function startIcebergPeer(settings: PeerSettings): Promise<IcebergPeer> {
  const child = spawn(await peerProgram('iceberg'), [PROGRAM, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async act(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the peer ended before it answered');
      return JSON.parse(value) as { ms: number; rows: number };
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
