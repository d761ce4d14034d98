import type { Endpoint, Input, Output } from '@weir/kernel/contract';
import { fullPath } from '@weir/kernel/contract';
import type { Connection } from './ask.ts';
import { ProblemError, UnreachableError } from './problem-error.ts';

const OK_BELOW = 300;

interface Sending {
  file: File;
  signal: AbortSignal;
  /** Called with the bytes that have left. */
  onProgress(bytes: number): void;
}

/** Sends a file as the body of an endpoint. Unlike `ask` it reports progress, which `fetch` cannot. */
export async function sendFile<E extends Endpoint>(
  { url, tenant, token }: Connection,
  endpoint: E,
  { query }: Partial<Input<E>>,
  { file, signal, onProgress }: Sending,
): Promise<Output<E>> {
  const place = new URL(fullPath(endpoint), url);
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined) place.searchParams.append(name, String(value));
  }
  const bearer = await token();
  return new Promise<Output<E>>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(endpoint.method, place);
    request.setRequestHeader('accept', 'application/json, application/problem+json');
    request.setRequestHeader('content-type', String(endpoint.consumes));
    request.setRequestHeader('authorization', `Bearer ${bearer}`);
    if (tenant !== undefined) request.setRequestHeader('x-tenant-id', tenant);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => {
      const body = parsed(request.responseText);
      if (body === undefined) reject(new UnreachableError(request.status));
      else if (request.status < OK_BELOW) resolve(body as unknown as Output<E>);
      else reject(new ProblemError(body as ConstructorParameters<typeof ProblemError>[0]));
    };
    request.onerror = () => reject(new UnreachableError(request.status));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
