import { listDatasets } from '@weir/plugin-datasets/contract';
import {
  bulkStreams,
  cancelSync,
  createSource,
  createStream,
  createUpload,
  deleteSchedule,
  deleteSource,
  deleteStream,
  deleteUpload,
  downloadDiscoveryLogs,
  downloadRunLogs,
  getDiscoveryStatus,
  getInspection,
  inspectImage,
  listStreams,
  pauseSchedule,
  previewReset,
  previewSourceReset,
  putSchedule,
  readDiscoveryLogs,
  readDiscoveryLooks,
  refreshSchema,
  registerInspected,
  resetSource,
  resetStream,
  startDiscovery,
  startReplay,
  startSync,
  updateSource,
  updateStream,
} from '@weir/plugin-sources/contract';
import { type Api, type ExampleCall, type Examples, example, inTurn, VICTIMS } from '../../../test/examples.ts';
import {
  CREDENTIAL_CALLS,
  furnishCredential,
  OF_CREDENTIALS,
  seedCredentials,
  seedInline,
} from './example-credentials.ts';
import { DATA, declaredSource, furnishSource, makeSource, makeUpload, RARELY } from './example-sources.ts';

const schema = { type: 'object', properties: { id: { type: 'integer' } } };
const text = { accept: 'text/plain' };
const stale = { 'if-match': '"1"' };
const orders = { name: 'orders', schema, supported_sync_modes: ['full_refresh' as const] };

/** Calls that change or remove sources of their own. */
async function seedSources(api: Api): Promise<ExampleCall[]> {
  const write = { source_id: await makeSource(api) };
  await api(putSchedule, { params: write, body: RARELY });
  const retired = await inTurn(VICTIMS, () => makeSource(api));
  const reset = await declaredSource(api);
  const sourceReset = { source_id: (await declaredSource(api)).source_id };
  const etag = async (answer: Promise<{ etag: string }>) => ({ 'if-match': (await answer).etag });
  return [
    example(createSource, { body: { name: 'fuzzed', pattern_id: 'files', source_config: DATA } }),
    example(startDiscovery, { body: { pattern_id: 'files', source_config: DATA } }),
    example(startDiscovery, { body: { ...write, source_config: DATA } }),
    example(updateSource, { params: write, body: { source_config: DATA } }),
    { of: deleteSource, params: { source_id: retired } },
    { of: startSync, params: { source_id: (await declaredSource(api)).source_id } },
    example(putSchedule, { params: write, body: { ...RARELY, timezone: 'Europe/Kyiv' } }),
    { of: deleteSchedule, params: write },
    example(pauseSchedule, { body: { reason: 'fuzzing' } }),
    example(createStream, { params: write, body: { name: 'made', schema } }),
    example(bulkStreams, { params: write, body: { streams: [{ name: 'bulk', schema }] } }),
    example(refreshSchema, { params: write, body: { streams: [orders] } }),
    { of: resetStream, params: reset, headers: await etag(api(previewReset, { params: reset })) },
    { of: resetSource, params: sourceReset, headers: await etag(api(previewSourceReset, { params: sourceReset })) },
  ];
}

/** Calls that change or remove streams of a source of their own. */
async function seedStreams(api: Api): Promise<ExampleCall[]> {
  const params = { source_id: await makeSource(api) };
  const ids = await inTurn(VICTIMS, async (at) => {
    const body = { name: `stream_${at}`, schema: { type: 'object' } };
    return (await api(createStream, { params, body })).stream_id;
  });
  return [
    example(updateStream, { params: { ...params, stream_id: ids.slice(0, 1) }, body: { enabled: false } }),
    { of: deleteStream, params: { ...params, stream_id: ids.slice(1) } },
  ];
}

/** No image is in any engine of a fuzzed platform, so that no inspection finds anything. */
const INSPECTED = { why: 'it needs an image that was inspected, in a container engine' };

export const examples: Examples = {
  own: [
    { of: inspectImage, why: 'asks a connector image how it is configured' },
    { of: getInspection, why: 'shows what an image said' },
    { of: registerInspected, why: 'makes a pattern of an image' },
  ],
  shared: { pattern_id: 'files' },
  furnish: async (tenancy) => ({ ...(await furnishSource(tenancy)), ...(await furnishCredential(tenancy)) }),
  meant: [
    {
      of: [getDiscoveryStatus, readDiscoveryLooks, readDiscoveryLogs, downloadDiscoveryLogs],
      ...{ name: 'workflow_id', as: 'discovery_id' },
    },
    { of: OF_CREDENTIALS, name: 'source_id', as: 'vaulted_id' },
  ],
  absent: { credential_ref: () => `cred_${'a'.repeat(26)}` },
  calls: [
    ...CREDENTIAL_CALLS,
    example(createStream, { body: { name: 'made', schema } }),
    example(bulkStreams, { body: { streams: [{ name: 'made_too', schema }] } }),
    example(refreshSchema, { body: { streams: [orders] } }),
    example(putSchedule, { body: RARELY }),
    example(inspectImage, { body: { tenant: 'acme', image: 'weir/connector-files:1.0.0' } }),
    { of: getInspection, unreached: INSPECTED },
    example(registerInspected, { body: {}, unreached: INSPECTED }),
    { of: resetStream, headers: stale },
    { of: resetSource, headers: stale },
    { of: downloadRunLogs, headers: text },
    { of: downloadDiscoveryLogs, headers: text },
  ],
  async seed({ api, ids, isVaulted, running, ...caller }) {
    const { workflow_id = '', run_id = '', source_id = '', dataset_id = '', inline_id = '' } = ids;
    const calls = [
      ...(await seedSources(api)),
      ...(await seedStreams(api)),
      ...(isVaulted ? await seedCredentials(api, inline_id) : []),
      { of: createUpload, unreached: { why: 'its body is bytes' } },
      { of: deleteUpload, params: { upload_id: await inTurn(VICTIMS, () => makeUpload(caller)) } },
      { of: cancelSync, params: { sync_run_id: (await running()).run_id } },
      example(startReplay, { body: { dataset_id } }),
    ];
    const datasets = (await api(listDatasets)).items.map((dataset) => dataset.dataset_id);
    const streamIds = (await api(listStreams, { params: { source_id } })).items.map(({ stream_id }) => stream_id);
    const more = { dataset_id: datasets, stream_id: streamIds, sync_run_id: [workflow_id], workflow_id: [run_id] };
    return { calls, more };
  },
  seedInline,
  async running(api, held) {
    held.hold();
    const { source_id } = await declaredSource(api, { url: held.url }, 'held');
    return api(startSync, { params: { source_id } });
  },
};
