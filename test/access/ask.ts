import { signBody } from '../../plugins/sources/src/model/pattern/webhook-signature.ts';
import { vaultedValues } from '../../plugins/sources/test/vaulted-source.ts';
import type { TestPlatform } from '../platform.ts';
import { POLICY_DOCUMENT } from './furnish.ts';
import type { MatrixRoute } from './matrix-platform.ts';

/** What an answer says, apart from what must differ between any two requests. */
export interface Said {
  status: number;
  code: string | undefined;
  /** Status, headers and body as one text. */
  all: string;
}

const schema = { type: 'object' };
const VALUES = vaultedValues('matrix');

/** Bodies without which a call would be refused before anybody looks for the thing, or would take its time. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /api/v1/sources/{source_id}/credentials': { credential_values: VALUES, credential_name: 'key' },
  'PUT /api/v1/sources/{source_id}/credentials': { credential_values: VALUES },
  'PUT /api/v1/identity-policies/{policy_id}': { document: POLICY_DOCUMENT, expected_version: 1 },
  'POST /api/v1/identity-policies/{policy_id}/clone': { name: 'copy' },
  'POST /api/v1/identity-policies/{policy_id}/dry-run': { document: POLICY_DOCUMENT },
  'POST /api/v1/sources/{source_id}/streams': { name: 'made', schema },
  'POST /api/v1/sources/{source_id}/streams/bulk': { streams: [{ name: 'made_too', schema }] },
  'POST /api/v1/sources/{source_id}/streams/refresh-schema': {
    streams: [{ name: 'orders', schema, supported_sync_modes: ['full_refresh'] }],
  },
  'PUT /api/v1/sources/{source_id}/schedule': { cron: ['0 0 29 2 *'] },
  'PATCH /api/v1/webhooks/{webhook_id}': { events: ['run.recovered'] },
  'PATCH /api/v1/transforms/{transform_id}': { description: 'x' },
  'POST /api/v1/runs/{id}/start': { orchestrator_run_id: 'x' },
  'POST /api/v1/runs/{id}/complete': { orchestrator_run_id: 'x' },
  'POST /api/v1/runs/{id}/fail': { orchestrator_run_id: 'x', detail: 'x' },
  'POST /api/v1/workflow-engine/workflows/{workflow_id}/wait': { timeout_seconds: 1 },
};
/** Headers without which the same would happen. */
const HEADERS: Readonly<Record<string, Record<string, string>>> = {
  'POST /api/v1/sources/{source_id}/streams/{stream_id}/reset': { 'if-match': '"1"' },
  'POST /api/v1/sources/{source_id}/reset': { 'if-match': '"1"' },
  'GET /api/v1/sources/{source_id}/runs/{run_id}/logs/download': { accept: 'text/plain' },
  'GET /api/v1/runs/{id}/logs/download': { accept: 'text/plain' },
  'GET /api/v1/sources/discover/status/{workflow_id}/logs/download': { accept: 'text/plain' },
};
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
  const payload = takesBody ? JSON.stringify(BODIES[label] ?? {}) : undefined;
  const { [SIGN_WITH]: secret, ...plain } = headers;
  const signature = secret === undefined ? {} : signBody(secret, payload ?? '', new Date());
  const answer = await app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      // Some routes would rather answer with a stream that never ends.
      ...{ accept: 'application/json', ...HEADERS[label], ...plain, ...signature },
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
