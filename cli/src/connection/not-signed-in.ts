import { CliError } from '../cli-error.ts';

/** There is no token to speak of. */
export const notSignedIn = (): CliError =>
  new CliError('refused', 'Nobody is signed in.', {
    code: 'unauthenticated',
    hint: 'weir login signs in; WEIR_TOKEN carries a token in a pipeline',
  });
