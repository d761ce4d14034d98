import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Name,
  Nullable,
  OneOf,
  Page,
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { readSources, writeSources } from '../access.ts';
import { credentialProblems } from '../credential-problems.ts';
import { sourceProblems } from '../problems.ts';
import { SyncRun } from '../sync/syncs.ts';
import { uploadProblems } from '../upload/upload-problems.ts';
import { CredentialRef, credentialInput } from './credentials.ts';
import { PatternId } from './patterns.ts';

/** The lifecycle of a source. A `retired` one is never shown. */
export const SOURCE_STATUSES = ['draft', 'discovering', 'ready', 'active', 'retired'] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** What a connector is given, as its pattern's specification describes it. */
export const SourceConfig = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Configuration as the specification of the pattern describes it',
});

/** A source as it is read. `source_config` holds declared fields without credentials only. */
export const Source = Type.Object({
  source_id: Id,
  name: Name,
  pattern_id: PatternId,
  pattern_version: Type.String(),
  source_config: SourceConfig,
  has_credentials: Type.Boolean({ description: 'Whether credentials are kept for it, sealed or in the secret store' }),
  credential_ref: Nullable(CredentialRef),
  status: OneOf(SOURCE_STATUSES),
  streams: Type.Integer({ description: 'How many streams it has' }),
  streams_enabled: Type.Integer(),
  last_run: Nullable(SyncRun),
  schedule: Nullable(
    Type.Object(
      { paused: Type.Boolean(), next_run_at: Nullable(Timestamp) },
      { description: 'GET /sources/{source_id}/schedule tells the rest; null when it has none' },
    ),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Type.String(),
});
export type SourceView = Static<typeof Source>;

const MAX_WORKFLOW_ID = 200;
const MAX_VERSION = 64;
const sourceParams = Closed({ source_id: idOf('source') });
const configErrors = [
  uploadProblems.uploadUnknown,
  sourceProblems.nameTaken,
  sourceProblems.patternNotFound,
  sourceProblems.sourceConfigInvalid,
  credentialProblems.undeclaredCredentialField,
  credentialProblems.credentialInputConflict,
  credentialProblems.credentialModeUnsupported,
  credentialProblems.credentialNameRequired,
  credentialProblems.credentialNameTaken,
  credentialProblems.credentialNotUsable,
  credentialProblems.credentialChangeInProgress,
  credentialProblems.credentialKeyMissing,
  credentialProblems.credentialsUnreadable,
  credentialProblems.secretStoreUnavailable,
];

/** `POST /sources` */
export const createSource = endpoint({
  id: 'sources.create_source',
  method: 'POST',
  path: '/sources',
  summary: 'Create a source from a connector pattern',
  access: writeSources,
  body: Closed({
    name: Type.Optional({ ...Name, description: `${Name.description}; pattern_id with a number when absent` }),
    pattern_id: PatternId,
    source_config: SourceConfig,
    ...credentialInput,
    workflow_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_WORKFLOW_ID,
        description: 'A discovery of this pattern, not an hour old, whose credentials the source takes over',
      }),
    ),
  }),
  example: { name: 'shop', pattern_id: 'files', source_config: { path: '/data/shop' } },
  declarative: true,
  response: Source,
  status: 201,
  location: '/sources/:source_id',
  errors: [...configErrors, sourceProblems.discoveryCredentialsGone],
});

/** How a source can stand with a schedule. */
export const SCHEDULED = ['active', 'paused', 'none'] as const;

/** `GET /sources` */
export const listSources = endpoint({
  id: 'sources.list_sources',
  method: 'GET',
  path: '/sources',
  summary: 'List the sources',
  access: readSources,
  query: listQuery(['created_at', 'name'], {
    status: Type.Optional(
      OneOf(
        SOURCE_STATUSES.filter((status) => status !== 'retired'),
        { description: 'Only sources of this status' },
      ),
    ),
    pattern_id: Type.Optional({ ...PatternId, description: 'Only sources of this connector pattern' }),
    name: Type.Optional({ ...Name, description: 'Only the source of this name' }),
    schedule: Type.Optional(
      OneOf(SCHEDULED, { description: 'Only sources whose schedule goes, is paused, or that have none' }),
    ),
  }),
  response: Page(Source),
  errors: [kernelProblems.invalidPageToken],
  cli: {
    words: 'sources list',
    columns: [
      ...['name', 'pattern_id', 'status', 'streams'],
      ...['last_run.status as last_sync', 'last_run.ended_at as age', 'last_run.failure.code as why'],
    ],
  },
});

/** `GET /sources/{source_id}` */
export const getSource = endpoint({
  id: 'sources.get_source',
  method: 'GET',
  path: '/sources/:source_id',
  summary: 'Read one source',
  access: readSources,
  params: sourceParams,
  response: Source,
  errors: [kernelProblems.notFound],
  cli: 'sources get',
});

/** `PATCH /sources/{source_id}`: a JSON merge patch, also inside `source_config`. */
export const updateSource = endpoint({
  id: 'sources.update_source',
  method: 'PATCH',
  path: '/sources/:source_id',
  summary: 'Rename a source, change its configuration, or move it to the version of its pattern that is in force',
  access: writeSources,
  params: sourceParams,
  body: Closed({
    name: Type.Optional(Name),
    source_config: Type.Optional(SourceConfig),
    ...credentialInput,
    pattern_version: Type.Optional(
      Type.String({
        maxLength: MAX_VERSION,
        description:
          'Moves the source to this version of its pattern, the one in force; the rest is checked against it',
      }),
    ),
  }),
  example: { source_config: { path: '/data/shop-2026' } },
  declarative: true,
  response: Source,
  errors: [
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    credentialProblems.credentialAttached,
    sourceProblems.patternVersionNotInForce,
    ...configErrors,
  ],
  cli: 'sources update',
});

/** `DELETE /sources/{source_id}`: retires it; its runs and tables stay. */
export const deleteSource = endpoint({
  id: 'sources.delete_source',
  method: 'DELETE',
  path: '/sources/:source_id',
  summary: 'Retire a source; its runs and tables stay',
  access: writeSources,
  params: sourceParams,
  status: 204,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed, runProblems.runAlreadyActive],
  cli: 'sources delete',
});
