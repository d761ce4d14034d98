import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { authorize } from '../auth/authorize.ts';
import { rememberTokens } from '../auth/remember-tokens.ts';
import type { TokenRules } from '../auth/verify-token.ts';
import type { Access } from '../contract/access.ts';
import { kernelProblems } from '../contract/problems.ts';
import { resolveTenant } from '../tenancy/resolve-tenant.ts';
import type { Principal, Tenant } from '../tenancy/tenant.ts';
import type { TenantPlugins } from '../tenancy/tenant-plugins.ts';
import type { Tenants } from '../tenancy/tenants.ts';

/** Who calls and for which tenant, set before the body is read. */
export interface Caller {
  principal: Principal;
  tenant: Tenant | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    endpoint?: import('../contract/endpoint.ts').Endpoint;
    plugin?: string;
  }
}

/** Makes the hook that decides, for one access rule of a plugin, who may go on; order: token, tenant, plugin, role. */
export type Authenticate = (access: Access, plugin?: string) => onRequestAsyncHookHandler;

/** The check every route carries; a public route reads no token at all, so that probes never fail on a bad one. */
export function authenticator(
  rules: TokenRules,
  tenants: Pick<Tenants, 'byAlias'>,
  plugins: Pick<TenantPlugins, 'isEnabled'>,
): Authenticate {
  const verify = rememberTokens(rules);
  return (access, plugin) => async (request) => {
    if (access.kind === 'public') {
      request.caller = { principal: { kind: 'anonymous' }, tenant: undefined };
      return;
    }
    const principal = await principalOf(request, verify);
    const tenant = await resolveTenant(access, principal, headerValues(request, 'x-tenant-id'), tenants);
    if (tenant !== undefined && plugin !== undefined && !(await plugins.isEnabled(tenant, plugin))) {
      throw kernelProblems.pluginDisabled();
    }
    const refusal = authorize(access, principal, tenant);
    if (refusal) throw refusal;
    request.caller = { principal, tenant };
  };
}

async function principalOf(request: FastifyRequest, verify: ReturnType<typeof rememberTokens>): Promise<Principal> {
  const [value, second] = headerValues(request, 'authorization');
  const token = second === undefined ? /^Bearer ([A-Za-z0-9._~+/-]+=*)$/.exec(value ?? '')?.[1] : undefined;
  if (token === undefined) throw kernelProblems.unauthenticated();
  const verdict = await verify(token);
  if (verdict.ok) return verdict.principal;
  request.log.info({ reason: verdict.reason }, 'token refused');
  throw verdict.unavailable ? kernelProblems.dependencyUnavailable() : kernelProblems.unauthenticated();
}

/** Every value of a header as it was sent; Node joins or drops repeated ones in `headers`. */
function headerValues(request: FastifyRequest, name: string): string[] {
  const raw = request.raw.rawHeaders;
  return raw.flatMap((text, at) => (at % 2 === 0 && text.toLowerCase() === name ? [raw[at + 1] ?? ''] : []));
}
