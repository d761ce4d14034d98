import type { TenantTransaction } from '@weir/kernel';
import type { KnownPrincipal, Tenant } from '@weir/kernel/contract';
import type { PolicyDryRunView, PolicyKindName, PolicyStatus, PolicyTrialBody } from '../contract.ts';

/** A document in the shape of its kind. */
export type PolicyDocumentBody = Readonly<Record<string, unknown>>;

/** A document that is about to be in force, or would be. */
export interface Candidate {
  readonly policyId: string;
  readonly name: string;
  readonly document: PolicyDocumentBody;
}

/** What a dry run is asked beside the document. */
export interface Trial {
  readonly candidate: Candidate;
  /** The policy as it stands: its newest version, and whether it is in force. */
  readonly standing: { readonly document: PolicyDocumentBody; readonly status: PolicyStatus };
  readonly body: PolicyTrialBody;
  readonly signal: AbortSignal;
}

/** What one kind of identity policies brings; the rest is the same for all of them. */
export interface PolicyKind {
  readonly kind: PolicyKindName;
  /** Whether a policy in force may be deleted only while another of the kind is in force. */
  readonly needsSuccessor: boolean;
  /**
   * The document in the form that is kept and digested. Throws `policy_invalid` with the place and the rule of every
   * fault, pointers below `/document`, and never a value.
   */
  validate(tenant: Tenant, document: PolicyDocumentBody): Promise<PolicyDocumentBody>;
  /**
   * Throws when the candidate must not be put in force; asked after `validate`, in the transaction that does so, while
   * no other of the tenant puts a policy of this kind in force.
   */
  admit?(
    tx: TenantTransaction,
    candidate: Candidate,
    by: { caller: KnownPrincipal; allowLockout: boolean },
  ): Promise<void>;
  /** A policy of the kind was put in force, changed or taken out of force; in this process it holds from now on. */
  changed?(tenant: Tenant): void;
  /** Tells what the candidate would change; stores nothing and asks nobody outside. */
  dryRun(tenant: Tenant, trial: Trial): Promise<PolicyDryRunView>;
}
