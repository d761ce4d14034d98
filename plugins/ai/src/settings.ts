import { type Static, Type } from '@sinclair/typebox';
import { SecretSetting } from '@weir/kernel';

const DAILY_CALLS = 10_000;
const DAILY_TOKENS = 1_000_000;

const text = (description: string) => Type.Optional(Type.String({ description }));

/** Environment variables of this plugin. All of `AI_ASSISTANT_*` are set, or none. */
export const settings = Type.Object({
  AI_ASSISTANT_API_URL: text('Address of the remote assistant; without it the embedded rules answer alone'),
  AI_ASSISTANT_IDP_URL: text('Address of its identity provider, below which .well-known/openid-configuration lies'),
  AI_ASSISTANT_CLIENT_ID: text('Client id of the platform at that identity provider'),
  AI_ASSISTANT_CLIENT_SECRET: Type.Optional(SecretSetting({ description: 'Secret of that client' })),
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
