import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Text that cannot be packed any tighter than by a quarter; rows take theirs from it, each from another place. */
const NOISE_BYTES = 32 * 1024 * 1024;
/** An odd number of bytes that is far from any part of the noise: rows near each other have nothing in common. */
const STEP_BYTES = 12_582_917;
const CHUNK_BYTES = 1024 * 1024;
const BYTES_PER_MB = 1_000_000;
const BASE64_SHARE = 0.75;
const EMITTED_AT_MS = Date.UTC(2026, 0, 1);

interface Config {
  streams: number;
  lines: number;
  line_bytes: number;
  mb_per_s: number;
}

/** A connector that prints rows of made-up text as fast as it is told to, or as fast as it is let. */
async function main([verb = '', ...words]: string[]): Promise<void> {
  // The development runtime holds the other end: a process does not outlive it. In a container there is none.
  if (process.env.WEIR_STDIN_LEASE === '1') process.stdin.resume().once('end', () => process.exit(1));
  if (verb === 'spec') return say({ type: 'SPEC', spec: { connectionSpecification: {} } });
  const config = JSON.parse(await readFile(words[words.indexOf('--config') + 1] ?? '', 'utf8')) as Config;
  if (verb === 'check') return say({ type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } });
  const names = Array.from({ length: config.streams }, (_, at) => `flood${at}`);
  if (verb === 'discover') return say({ type: 'CATALOG', catalog: { streams: names.map(streamOf) } });
  await flood(config, names);
}

function streamOf(name: string): object {
  const properties = { id: { type: 'integer' }, text: { type: 'string' } };
  return { name, json_schema: { type: 'object', properties }, supported_sync_modes: ['full_refresh'] };
}

async function flood(config: Config, names: readonly string[]): Promise<void> {
  const write = pacedWriter(config.mb_per_s * BYTES_PER_MB);
  let chunk = '';
  for (const line of rows(config, names)) {
    chunk += line;
    if (chunk.length < CHUNK_BYTES) continue;
    await write(chunk);
    chunk = '';
  }
  await write(chunk);
  for (const name of names) {
    const stream_status = { stream_descriptor: { name }, status: 'COMPLETE' };
    say({ type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: EMITTED_AT_MS, stream_status } });
  }
}

function* rows({ lines, line_bytes: bytes }: Config, names: readonly string[]): Generator<string> {
  const noise = randomBytes((NOISE_BYTES + bytes) * BASE64_SHARE).toString('base64');
  let from = 0;
  for (let id = 0; id < lines; id += 1) {
    for (const stream of names) {
      const text = noise.slice(from, from + bytes);
      from = (from + STEP_BYTES) % NOISE_BYTES;
      const data = `{"id":${id},"text":"${text}"}`;
      yield `{"type":"RECORD","record":{"stream":"${stream}","data":${data},"emitted_at":${EMITTED_AT_MS}}}\n`;
    }
  }
}

/** Writes no faster than so many bytes in a second, counted from the first one. */
function pacedWriter(bytesPerSecond: number): (text: string) => Promise<void> {
  const begun = performance.now();
  let written = 0;
  return async (text) => {
    if (!process.stdout.write(text)) await new Promise((resume) => process.stdout.once('drain', resume));
    written += text.length;
    const early = (written / bytesPerSecond) * 1_000 - (performance.now() - begun);
    if (early > 1) await delay(early);
  };
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

await main(process.argv.slice(2));
process.stdin.pause();
