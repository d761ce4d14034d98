/** What any layer may say about where to go. */
export interface ConnectionLayer {
  url?: string;
  tenant?: string;
  token?: string;
  output?: string;
  profile?: string;
}

/** The layers, strongest first; `project` is weir.yaml, `running` the development server of this checkout. */
export interface ConnectionLayers {
  flags: ConnectionLayer;
  env: ConnectionLayer;
  project: ConnectionLayer;
  profiles: { current?: string; profiles: Record<string, ConnectionLayer> };
  running?: ConnectionLayer;
  /** Whether the command runs in the checkout whose server that is: it goes before a current profile of another one. */
  inCheckout?: boolean;
}

/** Where a command goes and as whom. `url` is undefined when no layer names one. */
export interface Connection {
  url?: string;
  /** Whether weir.yaml alone names the address: a file that came with somebody else's work. */
  urlOfProject?: true;
  tenant?: string;
  token?: string;
  /** The layer that gave the token. */
  tokenFrom?: 'environment' | 'profile' | 'running';
  output?: string;
  profile?: string;
  /** A profile that was asked for by name and does not exist. */
  missingProfile?: string;
}

const origin = (url: string | undefined) => (url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined);

/**
 * Flag, then environment, then weir.yaml, then profile, then the running development server, field by field. A token
 * that was stored for one server never goes to another: a stored token is used only when the address that wins has
 * the origin it was stored with. A profile that was signed out of stays so: nobody else's token takes its place.
 */
export function resolveConnection({
  flags,
  env,
  project,
  profiles,
  running,
  inCheckout,
}: ConnectionLayers): Connection {
  const asked = flags.profile ?? env.profile ?? project.profile;
  const isElsewhere = origin(profiles.profiles[profiles.current ?? '']?.url) !== origin(running?.url);
  const name = asked ?? (inCheckout && running !== undefined && isElsewhere ? undefined : profiles.current);
  const profile = name !== undefined && Object.hasOwn(profiles.profiles, name) ? profiles.profiles[name] : undefined;
  const layers = [flags, env, project, profile ?? {}, running ?? {}];
  const first = (field: keyof ConnectionLayer) =>
    layers.map((layer) => layer[field]).find((value) => value !== undefined);
  const url = first('url');
  const ofUrl = [profile, running].find((layer) => layer !== undefined && origin(layer.url) === origin(url));
  const stored = ofUrl?.token === undefined ? undefined : ofUrl;
  const token = env.token ?? stored?.token;
  const tokenFrom = env.token !== undefined ? 'environment' : stored === profile ? 'profile' : 'running';
  const tenant = first('tenant');
  const output = first('output');
  return {
    ...(url === undefined ? {} : { url }),
    ...(url !== undefined && (flags.url ?? env.url) === undefined && project.url !== undefined
      ? { urlOfProject: true as const }
      : {}),
    ...(tenant === undefined ? {} : { tenant }),
    ...(token === undefined ? {} : { token, tokenFrom }),
    ...(output === undefined ? {} : { output }),
    ...(profile === undefined || name === undefined ? {} : { profile: name }),
    ...(asked !== undefined && profile === undefined ? { missingProfile: asked } : {}),
  };
}
