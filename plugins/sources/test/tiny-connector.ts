import { runs } from '../../../connectors/runtime/test/container-kit.ts';

/** The line of a Dockerfile by which an image is a connector that tells such a SPEC message and has one stream of two rows. */
export function tinyConnector(spec: object): string {
  return runs(
    `
const say = (message) => console.log(JSON.stringify(message));
const status = (word) => say({ type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: 1,
  stream_status: { stream_descriptor: { name: 'rows' }, status: word } } });
const stream = { name: 'rows', supported_sync_modes: ['full_refresh'],
  json_schema: { type: 'object', properties: { id: { type: 'integer' } } } };
const [, verb] = process.argv;
if (verb === 'spec') say(${JSON.stringify(spec)});
if (verb === 'check') say({ type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } });
if (verb === 'discover') say({ type: 'CATALOG', catalog: { streams: [stream] } });
if (verb === 'read') {
  status('STARTED');
  for (const id of [1, 2]) say({ type: 'RECORD', record: { stream: 'rows', data: { id }, emitted_at: 1 } });
  status('COMPLETE');
}`.replaceAll('\n', ' '),
  );
}
