import type { Keycloak } from './start-keycloak.ts';

/** What a check looks at: the provider, and the API as its people see it. */
export interface Lane {
  keycloak: Keycloak;
  apiUrl: string;
  /** The answer to a read of a tenant's sources: status, and code of a problem. */
  read(token: string, tenant?: string): Promise<string>;
  /** The answer to a change that has an empty body: 400 for whoever may make changes. */
  change(token: string, tenant?: string): Promise<string>;
  /** Runs `weir` in a home of its own; `said` is told what goes to stderr. */
  weir(words: string, said?: (text: string) => void): Promise<{ code: number; stdout: string; stderr: string }>;
  home: string;
}

/** One line of the report. */
export interface Check {
  what: string;
  expected: string;
  /** What was seen. */
  run(lane: Lane): Promise<string>;
}

/** A check by its sentence. */
export const check = (what: string, expected: string, run: Check['run']): Check => ({ what, expected, run });

/** The calls of a lane, as one user after another makes them. */
export function apiCalls(apiUrl: string): Pick<Lane, 'read' | 'change'> {
  const ask = async (method: string, token: string, tenant: string | undefined) => {
    const answer = await fetch(new URL('/api/v1/sources', apiUrl), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }),
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
    const { code } = (await answer.json()) as { code?: string };
    return code === undefined ? String(answer.status) : `${answer.status} ${code}`;
  };
  return {
    read: (token, tenant) => ask('GET', token, tenant),
    change: (token, tenant) => ask('POST', token, tenant),
  };
}
