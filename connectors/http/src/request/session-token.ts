import { decoderOf } from '../answer/decode.ts';
import { valuesAt } from '../answer/field-path.ts';
import { fault } from '../fault.ts';
import { type Part, partIn, placeOf, templateIn, textIn } from '../manifest/part.ts';
import { type Dictionary, textOf } from '../template/value.ts';
import { parseDuration } from '../time/parse-time.ts';
import { isOk } from './answer.ts';
import { type Authenticator, bearer } from './authenticator.ts';
import { injectorOf } from './request-options.ts';
import type { Requester } from './requester-type.ts';
import type { SendDeps } from './send-deps.ts';

/** How long a session token is used whose end the manifest does not tell; milliseconds. */
const UNTOLD_MS = 3_600_000;

/** What authenticators work with; some send requests of their own. */
export type AuthDeps = SendDeps & { readonly requester: (part: Part) => Requester };

/** Logs in by a request of its own and sends the token of the answer with the others, until it ends. */
export function sessionAuthenticator(part: Part, config: Dictionary, deps: AuthDeps): Authenticator {
  const path = part.fields.session_token_path;
  const [login, way] = [partIn(part, 'login_requester'), partIn(part, 'request_authentication')];
  if (!Array.isArray(path) || login === undefined || way === undefined)
    throw fault('manifest_invalid', { at: placeOf(part, 'session_token_path'), what: 'a list of names is expected' });
  const requester = deps.requester(login);
  const decode = decoderOf(partIn(part, 'decoder'), config, part.at);
  const life = parseDuration(textIn(part, 'expiration_duration', config) ?? '');
  const option = partIn(way, 'inject_into');
  const shape = templateIn(way, 'api_token', ['session_token']);
  let token: { text: string; until: number } | undefined;
  return {
    async options(signal) {
      if (token === undefined || deps.now() >= token.until) {
        const answer = await requester.send({ scope: { config }, signal });
        if (answer === undefined || !isOk(answer)) throw fault('token_refused', { at: part.at });
        const [found] = decode(answer.body).flatMap((value) => valuesAt(value, path.map(String)));
        if (found === undefined || found === null)
          throw fault('token_refused', { at: placeOf(part, 'session_token_path') });
        const text = textOf(found);
        deps.secrets.add(text);
        token = { text, until: deps.now() + (life === undefined ? UNTOLD_MS : Number(life.micros / 1000n)) };
      }
      if (way.type === 'SessionTokenRequestBearerAuthenticator') return bearer(token.text);
      if (option === undefined) throw fault('manifest_invalid', { at: way.at, what: 'inject_into is missing' });
      return injectorOf(option, config)(shape?.raw({ config, session_token: token.text }) ?? token.text);
    },
    renew() {
      const had = token !== undefined;
      token = undefined;
      return had;
    },
  };
}
