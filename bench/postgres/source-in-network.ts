import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serverFolder } from '@weir/embedded/testing';
import type { BenchEngine } from '../engine/bench-engine.ts';
import type { Command } from '../measure/measured-run.ts';

/** The bridge that every engine makes when it starts. */
const BRIDGE = 'docker0';
const SERVER = fileURLToPath(new URL('source-server.ts', import.meta.url));
const NODE_FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];

/** A server with the table that is read, and how others reach it. */
export interface SourceServer {
  /** URL of its database. */
  url: string;
  /** The command as it has to be run to reach the server. */
  within: (command: Command) => Command;
}

/** Runs a command in the network of the engine. */
const inNetwork = ({ pid }: BenchEngine, { command, args, ...more }: Command): Command => ({
  ...{ command: 'nsenter', args: [`--net=/proc/${pid}/ns/net`, command, ...args] },
  ...more,
});

/** The machine's own address in the engine's network, as its containers reach it. */
async function ownAddress(engine: BenchEngine): Promise<string> {
  const { command, args } = inNetwork(engine, { command: 'ip', args: ['-json', '-4', 'address', 'show', BRIDGE] });
  const { stdout } = await promisify(execFile)(command, args);
  const [link] = JSON.parse(stdout) as { addr_info: { local: string }[] }[];
  const [address] = link?.addr_info ?? [];
  if (address === undefined) throw new Error(`${BRIDGE} has no address`);
  return address.local;
}

/** Starts a server with so many rows in the network of an engine, lets `work` use it, and ends it whatever comes of that. */
export async function withSourceInNetwork<T>(
  engine: BenchEngine,
  rows: number,
  work: (server: SourceServer) => Promise<T>,
): Promise<T> {
  const address = await ownAddress(engine);
  const folder = await serverFolder('weir-bench-source-');
  const words = [...NODE_FLAGS, SERVER, folder, address, String(rows)];
  const { command, args } = inNetwork(engine, { command: process.execPath, args: words });
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  try {
    const [url] = (await Promise.race([once(createInterface({ input: server.stdout }), 'line'), ended])) as [unknown];
    if (typeof url !== 'string') throw new Error(`the source's server ended with ${url}`);
    return await work({ url, within: (asked) => inNetwork(engine, asked) });
  } finally {
    server.stdin.end();
    // One that could not be started at all is told of above.
    await ended.catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}
