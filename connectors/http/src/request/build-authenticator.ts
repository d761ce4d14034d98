import { fault } from '../fault.ts';
import { type Part, partIn, placeOf, templateIn } from '../manifest/part.ts';
import { type Dictionary, textOf } from '../template/value.ts';
import { type Authenticator, bearer } from './authenticator.ts';
import { jwtAuthenticator } from './jwt.ts';
import { oauthAuthenticator } from './oauth.ts';
import { injectorOf, NO_OPTIONS, type Options } from './request-options.ts';
import { selectiveAuthenticator } from './selective.ts';
import { type AuthDeps, sessionAuthenticator } from './session-token.ts';

const steady = (options: Options): Authenticator => ({ options: async () => options, renew: () => false });

/** The authenticator of a component. Its secrets are told to `deps.secrets`, to be masked wherever text is shown. */
export function authenticatorOf(part: Part | undefined, config: Dictionary, deps: AuthDeps): Authenticator {
  const secret = (name: string): string => {
    if (part === undefined) return '';
    const text = templateIn(part, name)?.raw({ config }) ?? '';
    deps.secrets.add(text);
    return text;
  };
  switch (part?.type) {
    case 'BearerAuthenticator':
      return steady(bearer(secret('api_token')));
    case 'BasicHttpAuthenticator': {
      const pair = Buffer.from(`${secret('username')}:${secret('password')}`).toString('base64');
      deps.secrets.add(pair);
      return steady({ ...NO_OPTIONS, headers: { authorization: `Basic ${pair}` } });
    }
    case 'ApiKeyAuthenticator':
      return steady(apiKey(part, secret('api_token'), config));
    case 'OAuthAuthenticator':
      return oauthAuthenticator(part, config, deps);
    case 'SessionTokenAuthenticator':
      return sessionAuthenticator(part, config, deps);
    case 'JwtAuthenticator':
      return jwtAuthenticator(part, config, deps);
    case 'SelectiveAuthenticator':
      return selectiveAuthenticator(part, config, (chosen) => authenticatorOf(chosen, config, deps));
    default:
      return steady(NO_OPTIONS);
  }
}

function apiKey(part: Part, token: string, config: Dictionary): Options {
  const option = partIn(part, 'inject_into');
  if (option !== undefined) return token === '' ? NO_OPTIONS : injectorOf(option, config)(token);
  const header = templateIn(part, 'header')?.text({ config });
  if (header === undefined || header === '')
    throw fault('manifest_invalid', { at: placeOf(part, 'inject_into'), what: 'inject_into or header is missing' });
  return { ...NO_OPTIONS, headers: { [header.toLowerCase()]: textOf(token) } };
}
