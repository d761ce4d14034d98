import type { Api } from '../connection/api.ts';

/** Where a command acts, as people should see it before they agree: the tenant and the server. */
export function targetOf(api: Pick<Api, 'url' | 'tenant'>): string {
  return `${api.tenant ?? 'your tenant'} at ${new URL(api.url).host}`;
}
