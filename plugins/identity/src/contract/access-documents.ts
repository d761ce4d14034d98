import { type Static, Type } from '@sinclair/typebox';
import { Closed, OneOf, TENANT_ROLES } from '@weir/kernel/contract';

/** Version of the Cedar vocabulary: entity types, attributes and actions that a text may name. */
export const ACCESS_SCHEMA = 'weir.access/1';
export const MAX_BINDINGS = 100;
/** Beyond it, checking a text would hold up other callers. */
export const MAX_CEDAR_LENGTH = 16_384;
const MAX_VALUES = 200;

/** What a binding may ask a caller for. */
export const CLAIMS = ['kind', 'sub', 'client_id', 'email', 'name', 'organization', 'roles'] as const;
export type Claim = (typeof CLAIMS)[number];

const Value = Type.String({ minLength: 1, maxLength: 255 });
const claim = OneOf(CLAIMS, {
  description:
    'kind is user, delegation, api_token or service; organization and roles hold several values, of which one must fit',
});

/** Callers whom a binding is for; operators are closed. */
export const BindingMatch = Type.Union([
  Closed({ claim, equals: Value }),
  Closed({ claim, in: Type.Array(Value, { minItems: 1, maxItems: MAX_VALUES, uniqueItems: true }) }),
]);
export type BindingMatchBody = Static<typeof BindingMatch>;

/** What callers keep of what they were given elsewhere; nobody gains anything by a binding. */
export const Binding = Closed({
  match: BindingMatch,
  grant: Closed(
    {
      roles: Type.Optional(Type.Array(OneOf(TENANT_ROLES), { maxItems: TENANT_ROLES.length, uniqueItems: true })),
      capabilities: Type.Optional(Type.Array(Value, { maxItems: MAX_VALUES, uniqueItems: true })),
      tenants: Type.Optional(
        Type.Union(
          [
            Type.Array(Value, { minItems: 1, maxItems: MAX_VALUES, uniqueItems: true }),
            Closed({ claim: Type.Literal('organization') }),
          ],
          { description: 'Aliases, which can only be that of this tenant, or the claim that must hold it' },
        ),
      ),
    },
    { minProperties: 1 },
  ),
});
export type BindingBody = Static<typeof Binding>;

/** Document of an identity policy of kind `access`. */
export const AccessDocument = Closed({
  bindings: Type.Optional(Type.Array(Binding, { maxItems: MAX_BINDINGS })),
  cedar: Type.Optional(Type.String({ maxLength: MAX_CEDAR_LENGTH, description: 'forbid statements in Cedar' })),
  schema: Type.Optional(Type.Literal(ACCESS_SCHEMA)),
});
export type AccessDocumentBody = Static<typeof AccessDocument>;
