import type { QueryClient } from '@tanstack/react-query';
import type { Input } from '@weir/kernel/contract';
import {
  type BulkStreamBody,
  bulkStreams,
  createSource,
  credentialProblems,
  type DiscoveredStreamView,
  MAX_BULK_STREAMS,
  refreshSchema,
  type SourceView,
  startDiscovery,
} from '@weir/plugin-sources/contract';
import { ask, type Connection, newIdempotencyKey } from '../../api/ask.ts';
import { ProblemError } from '../../api/problem-error.ts';
import { readAgain } from '../../api/queries.ts';

export interface NewSource {
  name: string;
  patternId: string;
  config: Record<string, unknown>;
  /** The discovery that looked at this configuration; it keeps the credentials for the source. */
  discovery: string;
  hasCredentials: boolean;
  found: readonly DiscoveredStreamView[];
  /** Names of the streams to sync. */
  chosen: ReadonlySet<string>;
  /** How they are synced, where they can be so. */
  settings?: StreamSettings;
}

type StreamSettings = Pick<BulkStreamBody, 'sync_mode' | 'write_mode'>;

/** A body may have one mebibyte; more is discovered again by the platform itself. */
const MAX_BODY_CHARS = 900_000;
/** Credentials in a secret store have names; those that are kept inline have none. */
const NAME_REQUIRED = credentialProblems.credentialNameRequired.entry.code;

/** Creates a source with the streams that its discovery found. The source is kept when a later step fails. */
export async function makeSource(connection: Connection, queries: QueryClient, given: NewSource): Promise<SourceView> {
  const { name, patternId, config, discovery, hasCredentials, found, chosen, settings = {} } = given;
  const body = {
    name,
    pattern_id: patternId,
    source_config: config,
    ...(hasCredentials ? { workflow_id: discovery } : {}),
  };
  const source = await create(connection, body).catch((error: unknown) => {
    if (!(error instanceof ProblemError) || error.problem.code !== NAME_REQUIRED) throw error;
    return create(connection, { ...body, credential_name: name });
  });
  const params = { source_id: source.source_id };
  const streams = [...found];
  if (JSON.stringify(streams).length > MAX_BODY_CHARS) {
    await ask(connection, startDiscovery, { body: params });
  } else {
    await ask(connection, refreshSchema, { params, body: { streams } });
    const isFitting = ({ supported_sync_modes: modes }: DiscoveredStreamView) =>
      settings.sync_mode === undefined || modes.includes(settings.sync_mode);
    const enabled = streams.filter((stream) => chosen.has(stream.name));
    await enable(
      connection,
      params,
      enabled.map((stream) => ({ name: stream.name, enabled: true, ...(isFitting(stream) ? settings : {}) })),
    );
  }
  await readAgain(queries, 'sources');
  return source;
}

const create = (connection: Connection, body: NonNullable<Input<typeof createSource>['body']>) =>
  ask(connection, createSource, { body }, { headers: { 'idempotency-key': newIdempotencyKey() } });

async function enable(connection: Connection, params: { source_id: string }, all: BulkStreamBody[]): Promise<void> {
  for (let at = 0; at < all.length; at += MAX_BULK_STREAMS) {
    const streams = all.slice(at, at + MAX_BULK_STREAMS);
    await ask(connection, bulkStreams, { params, body: { streams } });
  }
}
