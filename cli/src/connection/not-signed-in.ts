import { CliError } from '../cli-error.ts';

/** The next step of whoever has no token that is good. */
export const SIGN_IN_HINT = 'weir login signs in; WEIR_TOKEN carries a token in a pipeline';

/** There is no token to speak of. */
export const notSignedIn = (): CliError =>
  new CliError('refused', 'You are not signed in.', {
    code: 'unauthenticated',
    hint: SIGN_IN_HINT,
  });

/** There was a session, and nothing renews it any more. */
export const sessionEnded = (): CliError =>
  new CliError('refused', 'The session has ended.', { code: 'session_expired', hint: 'weir login signs in again' });
