import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, idOf, kernelProblems, listQuery, Name, OneOf, Page, Timestamp } from '@weir/kernel/contract';
import { administerCredentials, readCredentials, writeCredentials } from '../access.ts';
import { credentialProblems } from '../credential-problems.ts';
import { sourceProblems } from '../problems.ts';

const MAX_FIELDS = 1_000;

/** What identifies a credential to its tenant; it says nothing of where the values lie. */
export const CredentialRef = Type.String({
  pattern: '^cred_[a-z2-7]{26}$',
  description: 'Opaque reference of a credential of this tenant',
});

/** Values of credential fields, as they would stand in `source_config`, or by JSON pointers into it. */
export const CredentialValues = Type.Record(Type.String(), Type.Unknown(), {
  minProperties: 1,
  maxProperties: MAX_FIELDS,
  description:
    'Values of credential fields, nested as in source_config, or with JSON pointers into it as names; never returned',
});

/** How credentials are given: values with a name, or the reference of a credential that is there, never both. */
export const credentialInput = {
  credential_values: Type.Optional(CredentialValues),
  credential_name: Type.Optional(Name),
  credential_ref: Type.Optional(CredentialRef),
};

/** The life of a credential: in use, used by no source, or refused for ever; its values stay in the store. */
export const CREDENTIAL_STATUSES = ['active', 'detached', 'revoked'] as const;

/** All that may be known of a credential. */
export const Credential = Type.Object({
  credential_ref: CredentialRef,
  name: Name,
  kind: Type.String({ description: 'Id of the pattern whose sources can use it' }),
  fields: Type.Array(
    Type.Object({
      field: Type.String({ description: 'JSON pointer into source_config; * stands for any one segment' }),
      present: Type.Boolean(),
    }),
    { description: 'The fields that the pattern declares as credentials' },
  ),
  version: Type.Integer({ description: 'The exact version in the secret store' }),
  status: OneOf(CREDENTIAL_STATUSES),
  rotated_at: Timestamp,
  reference_count: Type.Integer({ description: 'How many sources use it' }),
  etag: Type.String(),
});
export type CredentialView = Static<typeof Credential>;

const params = Closed({ source_id: idOf('source') });
const storeErrors = [credentialProblems.credentialModeUnsupported, credentialProblems.secretStoreUnavailable];
const writeErrors = [
  ...storeErrors,
  credentialProblems.credentialChangeInProgress,
  credentialProblems.undeclaredCredentialField,
  sourceProblems.sourceConfigInvalid,
];

/** `GET /credentials` */
export const listCredentials = endpoint({
  id: 'sources.list_credentials',
  method: 'GET',
  path: '/credentials',
  summary: 'List the metadata of all credentials, unused ones too',
  access: readCredentials,
  query: listQuery(['name', 'rotated_at'], {
    status: Type.Optional(OneOf(CREDENTIAL_STATUSES, { description: 'Only credentials of this status' })),
  }),
  response: Page(Credential),
  errors: [kernelProblems.invalidPageToken, credentialProblems.credentialModeUnsupported],
  cli: 'sources credentials list',
});

/** `GET /sources/{source_id}/credentials` */
export const getCredentials = endpoint({
  id: 'sources.get_credentials',
  method: 'GET',
  path: '/sources/:source_id/credentials',
  summary: 'Read the metadata of the credential of a source',
  access: readCredentials,
  params,
  response: Credential,
  errors: [
    kernelProblems.notFound,
    credentialProblems.credentialNotAttached,
    credentialProblems.credentialModeUnsupported,
  ],
  cli: 'sources credentials get',
});

/** `POST /sources/{source_id}/credentials` */
export const setCredentials = endpoint({
  id: 'sources.set_credentials',
  method: 'POST',
  path: '/sources/:source_id/credentials',
  summary: 'Give a source its first credential, or one that is there',
  access: writeCredentials,
  params,
  body: Closed(credentialInput, { minProperties: 1 }),
  example: { credential_name: 'shop-database', credential_values: { password: 'swordfish' } },
  response: Credential,
  status: 201,
  location: '/sources/:source_id/credentials',
  errors: [
    kernelProblems.notFound,
    credentialProblems.credentialAttached,
    credentialProblems.credentialInputConflict,
    credentialProblems.credentialNameRequired,
    credentialProblems.credentialNameTaken,
    credentialProblems.credentialNotUsable,
    ...writeErrors,
  ],
  cli: 'sources credentials set',
});

/** `PUT /sources/{source_id}/credentials` */
export const rotateCredentials = endpoint({
  id: 'sources.rotate_credentials',
  method: 'PUT',
  path: '/sources/:source_id/credentials',
  summary: 'Write the next version of the credential of a source; a sync that runs keeps its own',
  access: writeCredentials,
  params,
  body: Closed({ credential_values: CredentialValues }),
  example: { credential_values: { password: 'swordfish' } },
  response: Credential,
  errors: [
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    credentialProblems.credentialNotAttached,
    ...writeErrors,
  ],
  cli: 'sources credentials rotate',
});

/** `DELETE /sources/{source_id}/credentials` */
export const detachCredentials = endpoint({
  id: 'sources.detach_credentials',
  method: 'DELETE',
  path: '/sources/:source_id/credentials',
  summary: 'Detach the credential of a source; nothing in the secret store is deleted or revoked',
  access: writeCredentials,
  params,
  status: 204,
  errors: [
    kernelProblems.notFound,
    credentialProblems.credentialNotAttached,
    credentialProblems.credentialModeUnsupported,
  ],
  cli: {
    words: 'sources credentials detach',
    confirm: 'Detach the credential, without which no sync of it can start',
  },
});

/** `POST /sources/{source_id}/credentials/migrate` */
export const migrateCredentials = endpoint({
  id: 'sources.migrate_credentials',
  method: 'POST',
  path: '/sources/:source_id/credentials/migrate',
  summary: 'Move the credential of a source from the database into the secret store',
  description: 'There is no way back: from then on no process starts that keeps credentials in the database.',
  access: administerCredentials,
  params,
  body: Closed({ credential_name: Type.Optional(Name) }),
  example: { credential_name: 'shop-database' },
  response: Credential,
  errors: [
    kernelProblems.notFound,
    credentialProblems.credentialNotAttached,
    credentialProblems.credentialAttached,
    credentialProblems.credentialNameTaken,
    credentialProblems.credentialMigrationFailed,
    credentialProblems.credentialsUnreadable,
    credentialProblems.credentialChangeInProgress,
    ...storeErrors,
  ],
  cli: {
    words: 'sources credentials migrate',
    flags: { credential_name: 'name' },
    confirm: 'Move the credential into the secret store, for good',
  },
});

/** `POST /sources/credentials/{credential_ref}/revoke` */
export const revokeCredential = endpoint({
  id: 'sources.revoke_credential',
  method: 'POST',
  path: '/sources/credentials/:credential_ref/revoke',
  summary: 'Revoke a credential that no source uses; its history stays in the secret store',
  access: administerCredentials,
  params: Closed({ credential_ref: CredentialRef }),
  response: Credential,
  errors: [kernelProblems.notFound, credentialProblems.credentialInUse, credentialProblems.credentialModeUnsupported],
  cli: { words: 'sources credentials revoke', confirm: 'Revoke the credential for ever' },
});
