import { definePlugin } from '@weir/kernel';
import { identityProblems } from './contract.ts';

/** Identity: API tokens, identity policies and the people who were seen. */
export default definePlugin({
  id: 'identity',
  problems: identityProblems,
  setup() {
    return { routes: [] };
  },
});
