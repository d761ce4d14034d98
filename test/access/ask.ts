import { signBody } from '../../plugins/sources/src/model/pattern/webhook-signature.ts';
import { CALLS } from '../deployed-examples.ts';
import type { TestPlatform } from '../platform.ts';
import type { MatrixRoute } from './matrix-platform.ts';

/** What an answer says, apart from what must differ between any two requests. */
export interface Said {
  status: number;
  code: string | undefined;
  /** Status, headers and body as one text. */
  all: string;
}

/** Headers that an answer may be told apart by. */
const KEPT = ['content-type', 'content-length', 'cache-control', 'etag', 'location', 'allow', 'www-authenticate'];

/** In place of a header: the secret that a request is signed with once its body is known. */
export const SIGN_WITH = 'sign-with';

/** Sends one request of a route; `path` is filled already, and a body says nothing unless it has to. */
export async function ask(
  app: TestPlatform['api']['app'],
  { label, method, takesBody }: Pick<MatrixRoute, 'label' | 'method' | 'takesBody'>,
  path: string,
  headers: Record<string, string>,
): Promise<Said> {
  const example = CALLS.get(label);
  const payload = takesBody ? JSON.stringify(example?.body ?? {}) : undefined;
  const { [SIGN_WITH]: secret, ...plain } = headers;
  const signature = secret === undefined ? {} : signBody(secret, payload ?? '', new Date());
  const answer = await app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      // Some routes would rather answer with a stream that never ends.
      ...{ accept: 'application/json', ...example?.headers, ...plain, ...signature },
      ...(takesBody ? { 'content-type': 'application/json' } : {}),
    },
    ...(payload === undefined ? {} : { payload }),
  });
  const problem = String(answer.headers['content-type']).startsWith('application/problem+json');
  const body = answer.body.replace(/"trace_id":"[0-9a-f]+"/, '"trace_id":"-"');
  return {
    status: answer.statusCode,
    code: problem ? answer.json<{ code: string }>().code : undefined,
    all: JSON.stringify([answer.statusCode, KEPT.map((name) => answer.headers[name]), body]),
  };
}

/** Fills the `{names}` of a path. */
export function fill(
  path: string,
  values: Readonly<Record<string, string>>,
  encode: (text: string) => string = encodeURIComponent,
): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encode(values[name] ?? 'unknown'));
}
