import type { Proof } from './rows.ts';

const proved = (file: string, test: string, ...names: string[]): [string, Proof][] =>
  names.map((name) => [name, { file: `plugins/ai/test/${file}`, test }]);

/** Proofs of the variables of AI assistance. */
export const aiProofs = [
  ...proved(
    'remote.test.ts',
    'a part of the settings, or another kind of address → the start is refused by name',
    'AI_ASSISTANT_API_URL',
    'AI_ASSISTANT_IDP_URL',
    'AI_ASSISTANT_CLIENT_ID',
    'AI_ASSISTANT_CLIENT_SECRET',
  ),
  ...proved('ai.test.ts', '50 calls at once over a budget of 20 → 20 proposals', 'WEIR_AI_DAILY_CALLS'),
  ...proved(
    'injection.test.ts',
    'a model whose draft passes the gate → is shown as its own, without links; its tokens are counted',
    'WEIR_AI_DAILY_TOKENS',
  ),
];
