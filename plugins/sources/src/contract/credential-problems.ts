import { problem } from '@weir/kernel/contract';

/** The codes that credentials of sources answer. */
export const credentialProblems = {
  credentialModeUnsupported: problem({
    code: 'credential_mode_unsupported',
    status: 409,
    title: 'Credential mode unsupported',
    detail:
      'This deployment keeps credentials inline (SOURCE_CREDENTIAL_MODE=legacy_inline), as part of their sources; after a move to the secret store it keeps none inline.',
    hint: 'Give the values with the source itself, as `credential_values`. The rest needs SOURCE_CREDENTIAL_MODE=secret_store, and after a move everything does: the operator restarts this process with it.',
  }),
  credentialInputConflict: problem({
    code: 'credential_input_conflict',
    status: 422,
    title: 'Credential input conflict',
    detail: 'A request gives the values of a credential, or names one that is there, and not two of these.',
    hint: 'Give credential_values, or credential_ref, or the workflow_id of a discovery; credential_name goes with new values.',
  }),
  credentialNameRequired: problem({
    code: 'credential_name_required',
    status: 422,
    title: 'Credential name required',
    detail: 'A new credential needs a name, by which it is found again.',
    hint: 'Add credential_name beside credential_values.',
  }),
  credentialsRequired: problem({
    code: 'credentials_required',
    status: 409,
    title: 'Credentials required',
    detail: 'A stored credential does not go to another place than the one that it was given for.',
    hint: 'Give all credentials again in the same request, or leave the fields that are listed as they were.',
    faults: { place_changed: 'names another place than the one that the credential was given for' },
  }),
  credentialNameTaken: problem({
    code: 'credential_name_taken',
    status: 409,
    title: 'Credential name taken',
    detail: 'Another credential of this tenant has this name.',
    hint: 'Choose another name, give the credential_ref of that credential, or revoke it first.',
  }),
  undeclaredCredentialField: problem({
    code: 'undeclared_credential_field',
    status: 422,
    title: 'Undeclared credential field',
    detail: 'credential_values holds a field that the pattern does not declare as a credential.',
    hint: 'Leave out the fields that are listed.',
    faults: { undeclared_credential_field: 'is not a credential of the pattern' },
  }),
  credentialNotUsable: problem({
    code: 'credential_not_usable',
    status: 422,
    title: 'Credential not usable',
    detail: 'There is no credential with this credential_ref that a source of this pattern can use.',
    hint: 'Give the credential_ref of a credential of the same pattern that is not revoked, or new values.',
  }),
  credentialNotAttached: problem({
    code: 'credential_not_attached',
    status: 409,
    title: 'Credential not attached',
    detail: 'This source has no credential.',
    hint: 'Give the source its credential.',
    next: [
      {
        operation: 'sources.set_credentials',
        params: { source_id: '{source_id}' },
        text: 'Give the source its credential',
      },
    ],
  }),
  credentialAttached: problem({
    code: 'credential_attached',
    status: 409,
    title: 'Credential attached',
    detail: 'This source has a credential already.',
    hint: 'Give it new values, or detach it. One that still lies in the database is moved first.',
    next: [
      {
        operation: 'sources.rotate_credentials',
        params: { source_id: '{source_id}' },
        text: 'Give the credential new values',
      },
      { operation: 'sources.detach_credentials', params: { source_id: '{source_id}' }, text: 'Detach the credential' },
      {
        operation: 'sources.migrate_credentials',
        params: { source_id: '{source_id}' },
        text: 'Move it to the secret store',
      },
    ],
  }),
  credentialInUse: problem({
    code: 'credential_in_use',
    status: 409,
    title: 'Credential in use',
    detail: 'The credential is used by {reference_count:source} or waiting discoveries, so it cannot be revoked.',
    hint: 'Detach it from its sources first.',
  }),
  credentialChangeInProgress: problem({
    code: 'credential_change_in_progress',
    status: 409,
    title: 'Credential change in progress',
    detail: 'Another request is writing this credential, or one has ended half way and is being cleared up.',
    hint: 'Try again in a few minutes; what was written and not used is quarantined by then.',
  }),
  credentialMigrationFailed: problem({
    code: 'credential_migration_failed',
    status: 409,
    title: 'Credential migration failed',
    detail:
      'The source was changed while its credential was being migrated, so nothing was; what was written is quarantined.',
    hint: 'Read the source again and repeat the request.',
  }),
  credentialsUnreadable: problem({
    code: 'credentials_unreadable',
    status: 503,
    title: 'Credentials unreadable',
    detail: 'The credentials of this source cannot be opened by this deployment.',
    hint: 'The operator names the key file that they were sealed with, as WEIR_CREDENTIAL_KEY_FILE or WEIR_CREDENTIAL_PREVIOUS_KEY_FILE.',
    lasting: true,
  }),
  credentialKeyMissing: problem({
    code: 'credential_key_missing',
    status: 503,
    title: 'Credential key missing',
    detail: 'This deployment has no key to seal credentials with.',
    hint: 'The operator sets WEIR_CREDENTIAL_KEY_FILE to a file with 32 random bytes and mode 0400.',
    lasting: true,
  }),
  secretStoreUnavailable: problem({
    code: 'secret_store_unavailable',
    status: 503,
    title: 'Secret store unavailable',
    detail: 'The secret store could not be asked, or refused what the platform needs of it.',
    hint: 'Try again later. The operator looks at the log, and whether the store is unsealed and gives the platform its role.',
  }),
};
