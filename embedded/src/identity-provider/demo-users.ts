/** A person of the development identity provider. Never exists outside development. */
export interface DemoUser {
  /** Subject and login name. */
  name: string;
  organizations: readonly string[];
  roles: readonly string[];
}

/** Who can sign in on a development machine: three ranks in tenant `demo`, and an admin of another tenant. */
export const DEMO_USERS: readonly DemoUser[] = [
  { name: 'ada@demo', organizations: ['demo'], roles: ['admin', 'platform_admin'] },
  { name: 'ed@demo', organizations: ['demo'], roles: ['pipeline_editor'] },
  { name: 'eve@demo', organizations: ['demo'], roles: ['viewer'] },
  { name: 'otto@other', organizations: ['other'], roles: ['admin'] },
];

/** Audience of every access token: the API, and never a client's own id. */
export const API_AUDIENCE = 'weir-api';
/** The public client of the CLI. */
export const CLI_CLIENT = 'weir-cli';
/** A client that is itself the principal. */
export const SERVICE_CLIENT = 'weir-service';
/** Development only: it listens on loopback and its secret is no secret. */
export const SERVICE_CLIENT_SECRET = 'development';
