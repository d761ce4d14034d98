import { readFileSync } from 'node:fs';

const STREAM = 'rows';

/** A connector that tells one row and how long it took from the start of its own program, then does what it is told. */
function main([verb = '', ...words]: string[]): void {
  if (verb === 'spec') say({ type: 'SPEC', spec: { connectionSpecification: {} } });
  else if (verb === 'check') say({ type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } });
  else if (verb === 'discover') say({ type: 'CATALOG', catalog: { streams: [STREAM_SHAPE] } });
  else read(words);
}

function read(words: readonly string[]): void {
  const { habit } = JSON.parse(readFileSync(words[words.indexOf('--config') + 1] ?? '', 'utf8')) as { habit: string };
  if (habit === 'honours') process.once('SIGTERM', () => process.exit(143));
  if (habit === 'ignores') process.on('SIGTERM', () => undefined);
  say({ type: 'RECORD', record: { stream: STREAM, data: { id: 1 }, emitted_at: Date.now() } });
  say({ type: 'LOG', log: { level: 'INFO', message: `first row after ${performance.now().toFixed(1)} ms` } });
  if (habit !== 'ends') {
    setInterval(() => undefined, 1_000);
    return;
  }
  const stream_descriptor = { name: STREAM };
  say({ type: 'STATE', state: { type: 'STREAM', stream: { stream_descriptor, stream_state: { at: 1 } } } });
  const stream_status = { stream_descriptor, status: 'COMPLETE' };
  say({ type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: Date.now(), stream_status } });
}

const STREAM_SHAPE = {
  name: STREAM,
  json_schema: { type: 'object', properties: { id: { type: 'integer' } } },
  supported_sync_modes: ['full_refresh'],
};

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

main(process.argv.slice(2));
