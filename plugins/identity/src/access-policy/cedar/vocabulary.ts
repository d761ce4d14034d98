import type { PlatformService } from '@weir/kernel';
import { type Endpoint, fillPath, type KnownPrincipal, rolesIn, type Tenant } from '@weir/kernel/contract';
import { organizationsOf } from './organizations-of.ts';

/** A route as policies know it: by its id, in the groups of what it does. */
export interface Action {
  readonly id: string;
  /** `read` or `write`, the permission of the route, and the plugin that brings it. */
  readonly groups: readonly string[];
  readonly endpoint: Endpoint;
  readonly plugin: string;
}

export interface Uid {
  type: string;
  id: string;
}

export interface EntityJson {
  uid: Uid;
  attrs: Record<string, string | string[]>;
  parents: Uid[];
}

/** Types of entities. Whoever acts as a person is a `User`, by whatever credential: `kind` tells them apart. */
const TEXT = { type: 'String' } as const;
const TEXTS = { type: 'Set', element: TEXT } as const;
const CALLER = {
  ...{ kind: TEXT, sub: TEXT, client_id: TEXT },
  ...{ roles: TEXTS, capabilities: TEXTS, organizations: TEXTS },
  ...{ name: { ...TEXT, required: false }, email: { ...TEXT, required: false } },
} as const;
const RESOURCE = { path: TEXT, plugin: TEXT, tenant: TEXT } as const;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The routes that belong to a tenant, by their ids; all others are beyond policies. */
export function actionsOf(endpoints: ReturnType<PlatformService['endpoints']>): ReadonlyMap<string, Action> {
  return new Map(
    endpoints.flatMap(({ plugin, ...endpoint }) => {
      const { id, access, method } = endpoint;
      if (access.kind !== 'tenant') return [];
      return [[id, { id, groups: [method === 'GET' ? 'read' : 'write', access.permission, plugin], endpoint, plugin }]];
    }),
  );
}

/**
 * A Cedar schema that judges the texts of one policy. Of the routes it holds those that the text names, and one for each
 * way to be in the groups that it names: the types of a call are the same for every route, and all of them would take long.
 */
export function cedarSchema(actions: ReadonlyMap<string, Action>, named: ReadonlySet<string>): object {
  const judged = new Map<string, Action>();
  for (const action of actions.values()) {
    const kind = named.has(action.id) ? action.id : action.groups.filter((group) => named.has(group)).join();
    judged.set(kind, action);
  }
  const groups = [...actions.values()].flatMap((action) => action.groups);
  const appliesTo = {
    ...{ principalTypes: ['User', 'Service'], resourceTypes: ['Resource'] },
    context: { type: 'Record', attributes: {} },
  };
  return {
    '': {
      entityTypes: {
        User: { shape: { type: 'Record', attributes: CALLER } },
        Service: { shape: { type: 'Record', attributes: CALLER } },
        Resource: { memberOfTypes: ['Resource'], shape: { type: 'Record', attributes: RESOURCE } },
      },
      actions: Object.fromEntries([
        ...groups.map((group) => [group, {}]),
        ...[...judged.values()].map((action) => [
          action.id,
          { memberOf: action.groups.map((id) => ({ id })), appliesTo },
        ]),
      ]),
    },
  };
}

/** The caller as policies see it. */
export function callerEntity(principal: KnownPrincipal, tenant: Tenant): EntityJson {
  const { kind, subject, client } = principal;
  const capabilities = 'capabilities' in principal ? principal.capabilities : [];
  const { name, email } = 'realmRoles' in principal ? principal : {};
  return {
    uid: kind === 'service' ? { type: 'Service', id: client } : { type: 'User', id: subject },
    attrs: {
      ...{ kind, sub: subject, client_id: client },
      ...{
        roles: rolesIn(principal, tenant),
        capabilities: [...capabilities],
        organizations: [...organizationsOf(principal, tenant)],
      },
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : { email }),
    },
    parents: [],
  };
}

/**
 * What a call is about, by its path below `/api/v1` with the parameters filled in; it lies in every path that it begins
 * with. Ids are in lower case, as other spellings of an id name the same thing.
 */
export function resourceEntity(
  { endpoint, plugin }: Action,
  params: Readonly<Record<string, string>>,
  tenant: Tenant,
): EntityJson {
  const spelt = Object.entries(params).map(([name, value]) => [name, UUID.test(value) ? value.toLowerCase() : value]);
  const path = fillPath(endpoint.path, Object.fromEntries(spelt));
  const steps = path.split('/').slice(1, -1);
  return {
    uid: { type: 'Resource', id: path },
    attrs: { path, plugin, tenant: tenant.alias },
    parents: steps.map((_, n) => ({ type: 'Resource', id: `/${steps.slice(0, n + 1).join('/')}` })),
  };
}

export function actionEntity({ id, groups }: Action): EntityJson {
  return { uid: { type: 'Action', id }, attrs: {}, parents: groups.map((group) => ({ type: 'Action', id: group })) };
}
