import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Engine } from '../../../test/engines/index.ts';

/** In front of the registry at `argv[1]`: of each layer the first MiB passes, the rest when a line `open` was read. */
const PROGRAM = `
const { createServer, request } = require('node:http');
const { Transform } = require('node:stream');
const [host, port] = process.argv[1].split(':');
let gate = Promise.withResolvers();
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'open') gate.resolve();
  else gate = Promise.withResolvers();
}).on('close', () => process.exit(0));
const held = () => {
  let passed = 0;
  const transform = (piece, _encoding, done) => {
    passed += piece.length;
    if (passed < 1024 * 1024) done(null, piece);
    else gate.promise.then(() => done(null, piece));
  };
  return new Transform({ transform });
};
createServer((asked, answer) => {
  const { method, url, headers } = asked;
  asked.pipe(request({ host, port, method, path: url, headers }, (said) => {
    answer.writeHead(said.statusCode, said.headers);
    said.pipe(held()).pipe(answer);
  }));
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
`;

/** A registry whose layers arrive as far as a test lets them. */
export interface SlowRegistry {
  /** As image references name it. */
  address: string;
  open(): void;
  shut(): void;
}

/** Starts it in the network of an engine, before the engine's own registry. It ends with the test. */
export async function slowRegistry(t: { teardown(end: () => unknown): void }, engine: Engine): Promise<SlowRegistry> {
  const pid = (await readFile(join(dirname(engine.socketPath), '..', 'run', 'docker.pid'), 'utf8')).trim();
  const args = [`--net=/proc/${pid}/ns/net`, process.execPath, '-e', PROGRAM, engine.registry];
  const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(async () => {
    if (child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.stdin.end();
    await gone;
  });
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  const tell = (word: string) => void child.stdin.write(`${word}\n`);
  return { address: `127.0.0.1:${port}`, open: () => tell('open'), shut: () => tell('shut') };
}
