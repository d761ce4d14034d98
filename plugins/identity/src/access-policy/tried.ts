import type { TenantTransaction } from '@weir/kernel';
import type { FieldFault, KnownPrincipal, Role, Tenant, TenantRole } from '@weir/kernel/contract';
import { pathNames, TENANT_ROLES } from '@weir/kernel/contract';
import {
  type ClaimsBody,
  identityProblems,
  MAX_PAIRS,
  type PolicyTrialBody,
  type TriedPrincipalBody,
  type TriedRequestBody,
} from '../contract.ts';
import { PersonEntity } from '../person/entity.ts';
import type { Action } from './cedar/vocabulary.ts';
import { knownPerson } from './known-person.ts';

/** What a dry run decides. */
export interface Tried {
  principals: KnownPrincipal[];
  requests: { action: Action; params: Readonly<Record<string, string>> }[];
}

/** Reads whom and what a dry run is about; throws `trial_invalid` with the place and the rule of every fault. */
export async function readTried(
  tx: TenantTransaction,
  { principals, requests, sample }: PolicyTrialBody,
  actions: ReadonlyMap<string, Action>,
): Promise<Tried> {
  if (principals === undefined || requests === undefined || sample !== undefined) {
    throw refused([
      ...(principals === undefined ? [{ pointer: '/principals', code: 'required' }] : []),
      ...(requests === undefined ? [{ pointer: '/requests', code: 'required' }] : []),
      ...(sample === undefined ? [] : [{ pointer: '/sample', code: 'other_kind' }]),
    ]);
  }
  if (principals.length * requests.length > MAX_PAIRS)
    throw refused([{ pointer: '/requests', code: 'too_many_pairs' }]);
  const found = await Promise.all(principals.map((one) => triedPrincipal(tx, one)));
  const faults = [
    ...found.flatMap((one, n) => (one === undefined ? [{ pointer: `/principals/${n}/sub`, code: 'unknown' }] : [])),
    ...requests.flatMap((one, n) => requestFaults(one, actions, `/requests/${n}`)),
  ];
  if (faults.length > 0) throw refused(faults);
  return {
    principals: found.filter((one) => one !== undefined),
    requests: requests.map(({ action, resource = {} }) => ({
      action: actions.get(action) as Action,
      params: resource,
    })),
  };
}

const refused = (errors: FieldFault[]) => identityProblems.trialInvalid({ errors });

async function triedPrincipal(tx: TenantTransaction, tried: TriedPrincipalBody): Promise<KnownPrincipal | undefined> {
  const { alias } = tx.tenant;
  if ('claims' in tried) return claimedPerson(tried.claims, tx.tenant);
  if ('service' in tried) {
    const { client_id: client, capabilities } = tried.service;
    return { kind: 'service', subject: client, client, tenants: [alias], capabilities };
  }
  const row = await tx.findOne(PersonEntity, { sub: tried.sub });
  return row && knownPerson(row, alias);
}

function claimedPerson(claims: ClaimsBody, { alias }: Tenant): KnownPrincipal {
  const held = claims.realm_access?.roles ?? [];
  const realmRoles: Role[] = TENANT_ROLES.filter((role) => held.includes(role));
  const tenantRoles = claims.tenant_roles && ownRoles(claims.tenant_roles, alias);
  return {
    ...{ kind: 'user', subject: claims.sub, client: claims.azp ?? 'any', realmRoles },
    organizations: claims.organization ?? [alias],
    ...(tenantRoles === undefined ? {} : { tenantRoles }),
    ...(claims.name === undefined ? {} : { name: claims.name }),
    ...(claims.email === undefined ? {} : { email: claims.email }),
  };
}

function ownRoles(claimed: Readonly<Record<string, TenantRole[]>>, alias: string): Record<string, TenantRole[]> {
  return { [alias]: Object.hasOwn(claimed, alias) ? (claimed[alias] ?? []) : [] };
}

function requestFaults(
  { action, resource = {} }: TriedRequestBody,
  actions: ReadonlyMap<string, Action>,
  pointer: string,
): FieldFault[] {
  const known = actions.get(action);
  if (known === undefined) return [{ pointer: `${pointer}/action`, code: 'unknown' }];
  const names = pathNames(known.endpoint.path);
  return [
    ...names
      .filter((name) => !Object.hasOwn(resource, name))
      .map((name) => ({ pointer: `${pointer}/resource/${name}`, code: 'required' })),
    ...(Object.keys(resource).some((name) => !names.includes(name))
      ? [{ pointer: `${pointer}/resource`, code: 'unknown_parameter' }]
      : []),
  ];
}
