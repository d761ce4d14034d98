/** What the vault fails with, and what each code says. No message holds a value, an address, a path or an answer. */
export const VAULT_FAULTS = {
  store_unavailable: 'The secret store does not answer, or is sealed',
  store_refused: 'The secret store refuses what the platform needs of it',
  version_conflict: 'The secret has another version than the one that was to be followed',
  version_missing: 'The secret store does not hold that version',
  outcome_unknown: 'The answer of the secret store to a write was lost',
  seal_broken: 'What is sealed was changed, or belongs to another place',
  seal_key_unknown: 'No key file is there for what is sealed',
} as const;

export type VaultCode = keyof typeof VAULT_FAULTS;

/** Why, in one word for the operator's log; each comes from this list and never from an answer. */
export type VaultReason =
  | 'address_unreachable'
  | 'answer_invalid'
  | 'answer_too_large'
  | 'answered_5xx'
  | 'connection_lost'
  | 'identity_file'
  | 'login_refused'
  | 'mount_without_cas'
  | 'not_allowed'
  | 'redirected'
  | 'rejected'
  | 'sealed'
  | 'timed_out'
  | 'tls_failed'
  | 'too_few_versions'
  | 'value_not_text'
  | 'versions_expire';

/** A failure of the vault, by its code. It has no cause: what lies under it may quote what must not be printed. */
export class VaultError extends Error {
  readonly code: VaultCode;
  readonly reason: VaultReason | undefined;

  constructor(code: VaultCode, reason?: VaultReason) {
    super(reason === undefined ? VAULT_FAULTS[code] : `${VAULT_FAULTS[code]} (${reason})`);
    this.name = 'VaultError';
    this.code = code;
    this.reason = reason;
  }
}
