/** A person of the development identity provider. Never exists outside development. */
export interface DemoUser {
  /** Subject and login name. */
  name: string;
  /** As people call them. */
  called: string;
  organizations: readonly string[];
  /** Held in every organization. */
  roles: readonly string[];
  /** Roles by organization; when there are any, the API looks at these alone. */
  tenantRoles?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Who can sign in on a development machine: three ranks in tenant `demo`, an admin of another tenant, and somebody of
 * both whose rank is not the same in them.
 */
export const DEMO_USERS: readonly DemoUser[] = [
  { name: 'ada@demo', called: 'Ada', organizations: ['demo'], roles: ['admin', 'platform_admin'] },
  { name: 'ed@demo', called: 'Ed', organizations: ['demo'], roles: ['pipeline_editor'] },
  { name: 'eve@demo', called: 'Eve', organizations: ['demo'], roles: ['viewer'] },
  { name: 'otto@other', called: 'Otto', organizations: ['other'], roles: ['admin'] },
  {
    name: 'mia@both',
    called: 'Mia',
    organizations: ['demo', 'other'],
    roles: [],
    tenantRoles: { demo: ['viewer'], other: ['admin'] },
  },
];

/** Audience of every access token: the API, and never a client's own id. */
export const API_AUDIENCE = 'weir-api';
/** The public client of the CLI. */
export const CLI_CLIENT = 'weir-cli';
/** The public client of the web pages. */
export const UI_CLIENT = 'weir-ui';
/** A client that is itself the principal. */
export const SERVICE_CLIENT = 'weir-service';
/** Development only: it listens on loopback and its secret is no secret. */
export const SERVICE_CLIENT_SECRET = 'development';
