import { type Static, Type } from '@sinclair/typebox';

/** The plugin's own environment variables. */
export const identitySettings = Type.Object({
  WEIR_TOKEN_MAKER_DAYS: Type.Integer({
    minimum: 1,
    maximum: 365,
    default: 30,
    description: 'Days for which API tokens go on while the person who made them does not sign in',
  }),
});
export type IdentitySettings = Static<typeof identitySettings>;
