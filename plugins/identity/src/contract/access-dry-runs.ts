import { type Static, Type } from '@sinclair/typebox';
import { Closed, Nullable, OneOf, TENANT_ROLES } from '@weir/kernel/contract';

export const MAX_PRINCIPALS = 50;
export const MAX_REQUESTS = 100;
/** A dry run decides as many pairs of principal and request at most. */
export const MAX_PAIRS = 1_000;

const Text = Type.String({ minLength: 1, maxLength: 255 });
const Texts = Type.Array(Text, { maxItems: 200 });

/** Claims of an access token, as far as decisions look at them. */
export const Claims = Closed({
  sub: Text,
  azp: Type.Optional(Text),
  email: Type.Optional(Text),
  name: Type.Optional(Text),
  organization: Type.Optional(Texts),
  realm_access: Type.Optional(Closed({ roles: Texts })),
  tenant_roles: Type.Optional(Type.Record(Text, Type.Array(OneOf(TENANT_ROLES)))),
});
export type ClaimsBody = Static<typeof Claims>;

/** Whom a dry run decides for: a person who was seen, claims, or a service. */
export const TriedPrincipal = Type.Union([
  Closed({ sub: Text }),
  Closed({ claims: Claims }),
  Closed({ service: Closed({ client_id: Text, capabilities: Texts }) }),
]);
export type TriedPrincipalBody = Static<typeof TriedPrincipal>;

/** What a dry run decides on: an operation by its id in the OpenAPI document, and its path parameters. */
export const TriedRequest = Closed({
  action: Type.String({ maxLength: 100, description: 'Operation id, such as sources.delete_source' }),
  resource: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 512 }), { description: 'Path parameters, such as source_id' }),
  ),
});
export type TriedRequestBody = Static<typeof TriedRequest>;

export const DECISIONS = ['allow', 'deny'] as const;
export type Decision = (typeof DECISIONS)[number];

/** One pair; principal and request are told by their places in the request. */
export const DecidedPair = Type.Object({
  principal: Type.Integer({ description: 'Place in principals' }),
  request: Type.Integer({ description: 'Place in requests' }),
  decision: OneOf(DECISIONS, { description: 'With the document in force' }),
  active_decision: OneOf(DECISIONS, { description: 'As it is now' }),
  changed: Type.Boolean(),
  code: Nullable(Type.String({ description: 'What a refused call would be answered' })),
  reasons: Type.Array(Type.String(), {
    description: 'Which statements and bindings forbid it, as policy/statement; table when the role does not suffice',
  }),
  errors: Type.Array(Type.String(), { description: 'Statements that could not be evaluated' }),
});
export type DecidedPairView = Static<typeof DecidedPair>;

/** What a dry run of an access document answers. */
export const AccessDryRun = Type.Object({
  kind: Type.Literal('access'),
  results: Type.Array(DecidedPair),
  summary: Type.Object({
    pairs: Type.Integer(),
    changed: Type.Integer(),
    gained: Type.Array(Type.Integer(), { description: 'Principals who could do more than now, by their places' }),
    lost: Type.Array(Type.Integer(), { description: 'Principals who could do less than now, by their places' }),
  }),
});
export type AccessDryRunView = Static<typeof AccessDryRun>;
