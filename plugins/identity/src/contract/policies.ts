import { type Static, Type } from '@sinclair/typebox';
import { Closed, Id, idOf, Name, Nullable, OneOf, Timestamp } from '@weir/kernel/contract';
import { AccessDocument } from './access-documents.ts';
import { EntityResolutionDocument } from './entity-resolution.ts';

/** What a policy is about: who may do what, or which rows are the same thing. */
export const POLICY_KINDS = ['access', 'entity_resolution'] as const;
export type PolicyKindName = (typeof POLICY_KINDS)[number];

/** A draft has no effect; an active one has that of its newest version; an archived one has none any more. */
export const POLICY_STATUSES = ['draft', 'active', 'archived'] as const;
export type PolicyStatus = (typeof POLICY_STATUSES)[number];

/** Most versions that a policy can have. */
export const MAX_VERSION = 1_000_000;

export const PolicyVersion = Type.Integer({
  minimum: 1,
  maximum: MAX_VERSION,
  description: 'Number of a version, from 1',
});
export const PolicyNote = Type.String({ maxLength: 1000, description: 'Why, in words' });

/** What a policy says, by its kind. */
export const PolicyDocument = Type.Union([AccessDocument, EntityResolutionDocument]);
export type PolicyDocumentView = Static<typeof PolicyDocument>;

/** Where a policy was cloned from. */
export const ClonedFrom = Type.Object({ policy_id: Id, version: PolicyVersion });

/** One immutable version of a policy. */
export const PolicyVersionFacts = Type.Object({
  policy_id: Id,
  version: PolicyVersion,
  document: PolicyDocument,
  digest: Type.String({ description: 'SHA-256 of the document in its canonical form' }),
  note: Nullable(Type.String()),
  created_by: Type.String(),
  created_at: Timestamp,
});
export type PolicyVersionView = Static<typeof PolicyVersionFacts>;

/** An identity policy with its newest version. */
export const Policy = Type.Composite([
  PolicyVersionFacts,
  Type.Object({
    name: Name,
    kind: OneOf(POLICY_KINDS),
    status: OneOf(POLICY_STATUSES),
    cloned_from: Nullable(ClonedFrom),
    updated_at: Timestamp,
    etag: Type.String(),
  }),
]);
export type PolicyView = Static<typeof Policy>;

/** A document as it is sent; its kind says which shape it must have, and its faults are told with their places. */
export const SentDocument = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Document of the kind, as the answers of this resource show it',
});

export const policyParams = Closed({ policy_id: idOf('policy') });
export const AllowLockout = Type.Boolean({
  default: false,
  description: 'Accepts that no admin, or not you, can change policies afterwards',
});
