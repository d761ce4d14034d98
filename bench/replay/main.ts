import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';

const STREAM = 'people';
/** The last line of the file, which ends the stream, is no longer than this. */
const TAIL_BYTES = 1_000;
const NEWLINE = 0x0a;

interface Config {
  path: string;
  times: number;
  schema: string;
}

/** A connector that prints a file of protocol lines, one time or many: nothing of its own is in what is measured. */
async function main([verb = '', ...words]: string[]): Promise<void> {
  // The development runtime holds the other end: a process does not outlive it. In a container there is none.
  if (process.env.WEIR_STDIN_LEASE === '1') process.stdin.resume().once('end', () => process.exit(1));
  if (verb === 'spec') return say({ type: 'SPEC', spec: { connectionSpecification: {} } });
  const config = JSON.parse(await readFile(words[words.indexOf('--config') + 1] ?? '', 'utf8')) as Config;
  if (verb === 'check') return say({ type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } });
  if (verb === 'discover') return say({ type: 'CATALOG', catalog: { streams: [streamOf(config)] } });
  await replay(config);
}

function streamOf({ schema }: Config): object {
  const modes = { supported_sync_modes: ['full_refresh', 'incremental'], source_defined_cursor: true };
  return { name: STREAM, json_schema: JSON.parse(schema), default_cursor_field: ['id'], ...modes };
}

/** The lines that end the stream come once, behind the last copy of all others. */
async function replay({ path, times }: Config): Promise<void> {
  const file = await open(path);
  const { size } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(Math.min(TAIL_BYTES, size)), {
    position: Math.max(0, size - TAIL_BYTES),
  });
  await file.close();
  const last = buffer.length - 1 - buffer.lastIndexOf(NEWLINE, buffer.length - 2);
  for (let time = 0; time < times; time += 1) {
    for await (const chunk of createReadStream(path, { end: size - last - 1 })) await write(chunk as Buffer);
  }
  await write(buffer.subarray(buffer.length - last));
}

function write(bytes: Buffer): Promise<void> | undefined {
  if (process.stdout.write(bytes)) return undefined;
  return new Promise((resume) => process.stdout.once('drain', resume));
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

await main(process.argv.slice(2));
process.stdin.pause();
