import { type Access, type Role, TENANT_ROLES } from '@weir/kernel/contract';

/** A caller as the decision table sees one. */
export interface Facts {
  /** Whom an identity provider knows by it; a service is nobody. */
  subject?: string;
  credential: 'none' | 'bad' | 'good';
  /** The permission whose secret the request is signed with. */
  webhook?: string;
  /** `X-Tenant-ID` as it is sent. */
  header?: string;
  /** The tenants that the credential reaches; a service has to name the one that it means. */
  organizations: readonly string[];
  service?: true;
  roles: readonly Role[];
  /** Capabilities of a service or a delegation; everybody else needs none. */
  capabilities?: readonly string[];
}

/** What the declared access alone says: allowed, or the status and code of the refusal. */
export type Decision = 'allowed' | `${number} ${string}`;

/** What of a route decides: `METHOD /path` and its declared access. */
interface DecidedRoute {
  label: string;
  access: Access;
}

const ALIAS = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/**
 * The decision table by itself, written apart from the code that decides: credential, tenant, role, capability, in this
 * order. Routes of plugins that a tenant has not enabled are no part of it.
 */
export function decide({ label, access }: DecidedRoute, facts: Facts): Decision {
  const { credential } = facts;
  if (access.kind === 'public') {
    return credential === 'bad' && access.probe !== true ? '401 unauthenticated' : 'allowed';
  }
  if (access.kind === 'webhook') return facts.webhook === access.permission ? 'allowed' : unsigned(facts);
  if (credential !== 'good') return '401 unauthenticated';
  if (access.kind === 'known') return 'allowed';
  const demanded = access.kind === 'tenant' && access.tenantHeader === 'users';
  if (demanded && facts.header === undefined && facts.capabilities !== undefined)
    return openDecision(access.across === true, rightDecision(label, access, facts), facts);
  const tenant = access.kind === 'tenant' ? tenantDecision(demanded, facts) : 'allowed';
  return tenant === 'allowed' ? rightDecision(label, access, facts) : tenant;
}

/** Who sends a token has signed nothing; who sends neither is told so by whoever reads signatures. */
function unsigned({ credential }: Facts): Decision {
  return credential === 'none' ? '401 webhook_unauthenticated' : '401 signature_required';
}

/** What only an admin may name who is somebody else; a capability replaces the role as it does everywhere. */
const ADMIN_OR_SELF: Readonly<Record<string, string>> = { 'GET /api/v1/users/{sub}': 'sub' };

/** The decision on a route with these ids in its path. */
export function decideAt(route: DecidedRoute, facts: Facts, ids: Readonly<Record<string, string>>): Decision {
  const decision = decide(route, facts);
  const { label } = route;
  const named = ADMIN_OR_SELF[label];
  const free = named === undefined || facts.service || facts.roles.includes('admin') || ids[named] === facts.subject;
  return decision === 'allowed' && !free ? '403 forbidden_role' : decision;
}

/** A client that names no tenant means its only one, or all where the route is answered over all. */
function openDecision(isAcross: boolean, right: Decision, { organizations }: Facts): Decision {
  if (organizations.length === 0) return '403 tenant_not_allowed';
  return right === 'allowed' && organizations.length > 1 && !isAcross ? '400 tenant_header_required' : right;
}

function tenantDecision(demanded: boolean, { header, organizations, service }: Facts): Decision {
  if (header !== undefined) {
    if (!ALIAS.test(header)) return '400 tenant_header_invalid';
    return organizations.includes(header) ? 'allowed' : '403 tenant_not_allowed';
  }
  if (service || demanded) return '400 tenant_header_required';
  if (organizations.length === 0) return '403 tenant_not_allowed';
  return organizations.length > 1 ? '400 tenant_header_required' : 'allowed';
}

type RightAccess = Exclude<Access, { kind: 'public' | 'webhook' | 'known' }>;

function rightDecision(label: string, access: RightAccess, facts: Facts): Decision {
  const { roles, capabilities, service } = facts;
  const { capability, people, reads, role } = access;
  if (!service && access.kind === 'tenant' && access.callers === 'services') return '403 service_required';
  if (!service && !roles.some((held) => held === role || outranks(held, role))) return '403 forbidden_role';
  if (capabilities === undefined) return 'allowed';
  // A client without a capability reads what any viewer may, and changes nothing.
  const isRead = label.startsWith('GET ') || (label.startsWith('POST ') && reads === true);
  if (capability === undefined || people)
    return isRead && role === 'viewer' && !people ? 'allowed' : '403 person_required';
  return capabilities.includes(capability) ? 'allowed' : '403 capability_required';
}

function outranks(held: Role, needed: Role): boolean {
  const ranks: readonly string[] = TENANT_ROLES;
  return ranks.includes(needed) && ranks.indexOf(held) > ranks.indexOf(needed);
}
