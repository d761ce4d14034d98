import { type Static, Type } from '@sinclair/typebox';

const DAILY_CALLS = 10_000;
const DAILY_TOKENS = 1_000_000;

/** Environment variables of this plugin. */
export const settings = Type.Object({
  WEIR_AI_DAILY_CALLS: Type.Integer({
    minimum: 1,
    default: DAILY_CALLS,
    description: 'Proposals that a tenant may ask for in a day of UTC',
  }),
  WEIR_AI_DAILY_TOKENS: Type.Integer({
    minimum: 0,
    default: DAILY_TOKENS,
    description:
      'Tokens of the remote assistant that a tenant may use in a day of UTC; without effect on the embedded rules',
  }),
});
export type AiSettings = Static<typeof settings>;
