/** The two services that speak to the store. */
export type StoreRole = 'api' | 'worker';

/** A path of the store and exactly what each role may do there; nothing unless said. */
export interface WantedRights {
  readonly path: string;
  readonly rights: Readonly<Partial<Record<StoreRole, readonly string[]>>>;
}

const SOMEBODY = '00000000-0000-0000-0000-000000000001';
const ELSEWHERE = 'weir-elsewhere';

/**
 * What the policies of `deploy/secret-store` come to, path by path: the credentials of any tenant, and around them all that
 * a policy which was written too widely would open.
 */
export function wantedRights(mount: string): readonly WantedRights[] {
  const at = `src/${SOMEBODY}/${SOMEBODY}`;
  const rights = { api: ['create', 'read', 'update'], worker: ['read'] };
  const credentials = [`src/${SOMEBODY}/${SOMEBODY}`, 'src/any/other'].map((path) => ({
    path: `${mount}/data/${path}`,
    rights,
  }));
  const nothing = [
    ...['metadata', 'delete', 'undelete', 'destroy', 'subkeys'].map((kind) => `${mount}/${kind}/${at}`),
    ...[`${mount}/metadata/src/`, `${mount}/metadata/src/${SOMEBODY}/`, `${mount}/metadata/`, `${mount}/config`],
    ...[`${mount}/data/src/${SOMEBODY}`, `${mount}/data/${at}/more`, `${mount}/data/other/${SOMEBODY}/${SOMEBODY}`],
    ...[`${ELSEWHERE}/data/${at}`, `secret/data/${at}`, `cubbyhole/${SOMEBODY}`],
    ...['sys/mounts', `sys/mounts/${mount}`, 'sys/auth', 'sys/policies/acl/root', 'sys/seal', 'sys/raw/x'],
    ...['auth/token/create', 'auth/token/renew-self', 'auth/token/lookup-self', 'sys/capabilities-self'],
    ...['auth/approle/role/x/secret-id', 'identity/entity'],
  ];
  return [...credentials, ...nothing.map((path) => ({ path, rights: {} }))];
}
