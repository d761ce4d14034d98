import { randomUUID } from 'node:crypto';
import type { TestIssuer } from '@weir/kernel/testing';
import type { Look } from '../look.ts';
import type { SentRequest } from '../search/likely-texts.ts';
import { TENANTS } from './proof-services.ts';

/** Who calls: roles in the tenant of the drive, an admin of another tenant, the operator, or nobody. */
export type Who = 'admin' | 'editor' | 'viewer' | 'foreign' | 'operator' | 'nobody';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind `/api/v1`, or from the root when it begins with `//`. */
  readonly path: string;
  /** How findings call it, since the path itself may hold a canary; the path unless given. */
  readonly label?: string;
  readonly who?: Who;
  /** Who the token names; the word of `who` unless given. */
  readonly subject?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, with the content type of `headers`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends one request and looks through its answer, headers and body. */
export type Caller = (request: Request) => Promise<Answer>;

const ROLES = { admin: ['admin'], editor: ['pipeline_editor'], viewer: ['viewer'], foreign: ['admin'] } as const;

/** Opens the API, wherever it is at the time of a call. */
export function openCaller(deps: {
  issuer: TestIssuer;
  answers: Look;
  sends: (request: SentRequest) => void;
  url: () => string;
}): Caller {
  const { issuer, answers, sends, url } = deps;
  let operations: Promise<Operation[]> | undefined;
  const authorization = async (who: Who, subject: string): Promise<Record<string, string>> => {
    if (who === 'nobody') return {};
    if (who === 'operator') {
      const token = await issuer.userToken({ subject, organizations: [], roles: ['platform_admin'] });
      return { authorization: `Bearer ${token}` };
    }
    const [tenant, other] = TENANTS;
    const alias = who === 'foreign' ? other : tenant;
    const token = await issuer.userToken({ subject, organizations: [alias], roles: [...ROLES[who]] });
    return { authorization: `Bearer ${token}`, 'x-tenant-id': alias };
  };
  return async ({ method, path, label = path, who = 'admin', body, raw, headers = {}, subject = who }) => {
    const route = path.startsWith('//') ? path.slice(1) : `/api/v1${path}`;
    const own: Record<string, string> = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
    if (body !== undefined || raw !== undefined) own['content-type'] = 'application/json';
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    if (sent !== undefined) {
      operations ??= readOperations(url());
      const operation = (await operations).find((one) => one.method === method && one.pattern.test(route))?.id ?? '';
      sends({ method, url: route, operation, body: sent });
    }
    const answer = await fetch(new URL(route, url()), {
      method,
      headers: { ...(await authorization(who, subject)), ...own, ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await answer.text();
    const where = `${method} ${label} as ${who}, ${answer.status}`;
    await answers.bytes(`${where}, headers`, JSON.stringify([...answer.headers]));
    await answers.bytes(`${where}, body`, text);
    return { status: answer.status, headers: answer.headers, text, body: jsonOf(text) };
  };
}

interface Operation {
  id: string;
  method: string;
  pattern: RegExp;
}

/** What the API calls its operations. */
async function readOperations(url: string): Promise<Operation[]> {
  type Paths = Record<string, Record<string, { operationId: string }>>;
  const { paths } = (await (await fetch(new URL('/openapi.json', url))).json()) as { paths: Paths };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return { id, method: method.toUpperCase(), pattern };
    }),
  );
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
