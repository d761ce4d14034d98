import { clientAddress, onePerTick, trustConnection } from '@weir/http-limits';
import { rememberTokens, type TokenRules, type TokenVerdict } from '@weir/tokens';
import type { FastifyBaseLogger, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { authorize } from '../auth/authorize.ts';
import type { TenantRole } from '../contract/access.ts';
import { AccessRules, CallLimits, SignatureReaders, type TokenReader, TokenReaders } from '../contract/call-points.ts';
import type { KnownPrincipal, Principal, Tenant } from '../contract/caller.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { Problem } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';
import type { Contributions } from '../contributions/contributions.ts';
import { resolveTenant, tenantsOf } from '../tenancy/resolve-tenant.ts';
import type { TenantPlugins } from '../tenancy/tenant-plugins.ts';
import type { Tenants } from '../tenancy/tenants.ts';
import { signer } from './signed-body.ts';

/** Who calls and for which tenant, set before the body is read. */
export interface Caller {
  principal: Principal;
  tenant: Tenant | undefined;
  /** Those of a client that named no tenant: all in which it may do this. */
  tenants?: readonly Tenant[];
  /** Decides again by what holds now, and charges no limit; absent for a call without a token. Throws the refusal. */
  recheck?: () => Promise<void>;
  /** An access rule has refused the call, whatever its status. */
  isRefused?: true;
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

/** Makes the hook that decides, for one endpoint of a plugin, who may go on; order: token, tenant, plugin, role, rules. */
export type Authenticate = (endpoint: Endpoint, plugin?: string) => onRequestAsyncHookHandler;

export interface AuthenticatorDeps {
  rules: TokenRules<TenantRole>;
  tenants: Pick<Tenants, 'byAlias' | 'list'>;
  tenantPlugins: Pick<TenantPlugins, 'isEnabled'>;
  contributions: Pick<Contributions, 'of' | 'forTenant'>;
}

/** The check every route carries. A probe reads no credential at all, and other public routes only one that is sent. */
export function authenticator({ rules, tenants, tenantPlugins, contributions }: AuthenticatorDeps): Authenticate {
  const verify = rememberTokens(rules);
  const entrance = onePerTick();
  return (endpoint, plugin) => async (request, reply) => {
    const { access } = endpoint;
    const caller: Caller = { principal: { kind: 'anonymous' }, tenant: undefined };
    request.caller = caller;
    const arriving = { endpoint, address: clientAddress(request) };
    const refuse = (error: unknown): never => {
      const isDenial = error instanceof Problem && (error.status === 401 || error.status === 403);
      if (isDenial) for (const limit of contributions.of(CallLimits)) limit.denying(arriving);
      throw error;
    };
    const sent = headerValues(request, 'authorization');
    if (access.kind === 'public' && (access.probe || sent.length === 0)) return entrance(arriving.address);
    if (access.kind === 'webhook') {
      if (sent.length > 0) return refuse(kernelProblems.signatureRequired());
      const reader = contributions.of(SignatureReaders).find(({ permission }) => permission === access.permission);
      caller.principal = await signer(request, reply, reader).catch(refuse);
      return;
    }
    const admit = async (principal: KnownPrincipal, tenant: Tenant | undefined) => {
      if (tenant !== undefined && plugin !== undefined && !(await tenantPlugins.isEnabled(tenant, plugin))) {
        throw kernelProblems.pluginDisabled();
      }
      const refusal = authorize(access, principal, tenant);
      if (refusal) throw refusal;
      const asked = { ...arriving, principal, tenant, params: request.params as Record<string, string> };
      for (const rule of await contributions.forTenant(tenant, AccessRules))
        await rule(asked).catch((error: unknown) => {
          caller.isRefused = true;
          throw error;
        });
      return asked;
    };
    const decide = async () => {
      const principal = await principalOf(sent, request.log, verify, contributions.of(TokenReaders));
      caller.principal = principal;
      trustConnection(request.raw.socket);
      if (access.kind === 'public') return undefined;
      const tenant = await resolveTenant(access, principal, headerValues(request, 'x-tenant-id'), tenants);
      caller.tenant = tenant;
      if (tenant !== undefined || access.kind !== 'tenant') return admit(principal, tenant);
      const own = await tenantsOf(principal, tenants, (one) => admit(principal, one));
      delete caller.isRefused;
      if (own.length > 1 && !access.across) throw kernelProblems.tenantHeaderRequired();
      Object.assign(caller, { tenants: own, tenant: own.length === 1 ? own[0] : undefined });
      return { ...arriving, principal, tenant: caller.tenant, params: request.params as Record<string, string> };
    };
    caller.recheck = async () => void (await decide());
    const asked = await decide().catch(refuse);
    if (asked === undefined) return;
    for (const limit of contributions.of(CallLimits)) await limit.allowed(asked);
  };
}

async function principalOf(
  [value, second]: readonly string[],
  log: FastifyBaseLogger,
  verify: (token: string) => Promise<TokenVerdict<TenantRole>>,
  readers: readonly TokenReader[],
): Promise<KnownPrincipal> {
  const token = second === undefined ? /^Bearer ([A-Za-z0-9._~+/-]+=*)$/.exec(value ?? '')?.[1] : undefined;
  if (token === undefined) throw kernelProblems.unauthenticated();
  const reader = readers.find(({ prefix }) => token.startsWith(prefix));
  if (reader !== undefined) {
    const read = await reader.read(token);
    if (read === undefined || read.expiresAt.getTime() <= Date.now()) throw kernelProblems.unauthenticated();
    return { ...read.principal, expiresAt: read.expiresAt };
  }
  const verdict = await verify(token);
  if (verdict.ok) return { ...verdict.principal, expiresAt: verdict.expiresAt };
  log.info({ reason: verdict.reason }, 'token refused');
  throw verdict.unavailable ? kernelProblems.dependencyUnavailable() : kernelProblems.unauthenticated();
}

/** Every value of a header as it was sent; Node joins or drops repeated ones in `headers`. */
export function headerValues(request: FastifyRequest, name: string): string[] {
  const raw = request.raw.rawHeaders;
  return raw.flatMap((text, at) => (at % 2 === 0 && text.toLowerCase() === name ? [raw[at + 1] ?? ''] : []));
}
