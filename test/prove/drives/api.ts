import { until } from '../../until.ts';
import type { Answer, Request } from '../platform/caller.ts';
import type { Proof } from '../proof.ts';

/** Calls of a drive: what must succeed is a fault when it does not. */
export interface Drives {
  /** Whatever is answered is right. */
  any(request: Request): Promise<Answer>;
  /** Must be answered by one of these. */
  must(statuses: readonly number[], request: Request): Promise<Answer>;
  /** Waits for the end of a discovery or a sync; must end in this state, if one is wanted. Answers the state. */
  ends(wanted: 'succeeded' | 'failed' | undefined, started: Answer, path: (id: string) => string): Promise<unknown>;
}

/** Calls as the admin of the tenant, unless a request says otherwise. */
export function drives({ platform, fault }: Proof, label: string): Drives {
  const must: Drives['must'] = async (statuses, request) => {
    const answer = await platform.call(request);
    if (!statuses.includes(answer.status)) {
      const said = `${request.method} ${request.label ?? request.path}`;
      fault(
        `${label}: ${said} was answered ${answer.status} ${String(answer.body.code ?? '')}, not ${statuses.join(' or ')}`,
      );
    }
    return answer;
  };
  return {
    any: (request) => platform.call(request),
    must,
    async ends(wanted, started, path) {
      const id = String(started.body.workflow_id ?? '');
      if (id === '') return undefined;
      const body = await until(`the end of ${path(id)}`, async () => {
        const seen = await platform.call({ method: 'GET', path: path(id), label: path('{id}') });
        return seen.body.is_terminal === true && seen.body;
      });
      if (wanted !== undefined && body.status !== wanted) {
        const failure = (body.failure as { code?: string } | null)?.code ?? '';
        fault(`${label}: ${path('{id}')} ended ${String(body.status)} ${failure}, not ${wanted}`);
      }
      return body.status;
    },
  };
}
