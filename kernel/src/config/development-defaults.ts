import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SettingsRead } from './settings.ts';

/** A value that only development may start with: what holds of others, in the words of the refusal. */
export interface DevelopmentDefault {
  readonly names: readonly string[];
  readonly rule: string;
  /** Programs that do without the value. */
  readonly exempt?: readonly string[];
  refuses(value: string): boolean;
}

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** What every data folder of `weir dev up` has from its first start on. */
const DATA_FOLDER = ['secrets.json', 'identity-provider'];

/**
 * All that staging and production refuse. Services at addresses of this machine are not in it but for the issuer: what the
 * machine keeps to itself needs no TLS, but an issuer there is the provider of `weir dev up`, whose passwords are known.
 */
export const DEVELOPMENT_DEFAULTS: readonly DevelopmentDefault[] = [
  {
    names: ['WEIR_RELEASE_SHA'],
    rule: 'must be the commit of the release, 40 or 64 lower-case hexadecimal digits',
    exempt: ['operator'],
    refuses: (value) => !COMMIT.test(value),
  },
  {
    names: ['WEIR_IMAGE_DIGEST'],
    rule: 'must be the digest of the image, sha256: and 64 lower-case hexadecimal digits',
    exempt: ['operator', 'worker'],
    refuses: (value) => !DIGEST.test(value),
  },
  {
    names: ['IDP_ISSUER'],
    rule: 'must begin with https://, also on this machine',
    refuses: (value) => URL.parse(value)?.protocol !== 'https:',
  },
  {
    names: ['IDP_URL'],
    rule: 'must begin with https://, or name this machine',
    refuses: (value) => !isPrivate(URL.parse(value)),
  },
  {
    names: ['WEIR_ENGINE_WAIVERS'],
    rule: 'must be empty: connectors would run without what it waives',
    refuses: (value) => value !== '',
  },
];

/** Of each setting that names a place, which its schema says by `format`. */
export const PLACE_RULE = 'must not lie in the data folder of weir dev up';

/** What a start outside of development is refused for, each fault one line that begins with the variable; no values. */
export function developmentDefaults({ values, places }: SettingsRead, program: string): string[] {
  if (values.WEIR_MODE !== 'staging' && values.WEIR_MODE !== 'production') return [];
  const asked = DEVELOPMENT_DEFAULTS.filter(({ exempt }) => exempt?.includes(program) !== true);
  const refused = asked.flatMap(({ names, rule, refuses }) =>
    names.filter((name) => typeof values[name] === 'string' && refuses(values[name])).map((name) => `${name} ${rule}`),
  );
  const inside = Object.keys(places).filter((name) => isInDataFolder(places[name] as string));
  return [...refused, ...inside.map((name) => `${name} ${PLACE_RULE}`)].map(
    (fault) => `${fault} (outside of development)`,
  );
}

function isPrivate(url: URL | null): boolean {
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
}

/** Whether a path or file URL leads into a data folder; other addresses do not. */
function isInDataFolder(place: string): boolean {
  const file = place.startsWith('file:') ? pathOf(place) : place;
  if (file === undefined || !path.isAbsolute(file)) return false;
  for (let folder = path.resolve(file); ; folder = path.dirname(folder)) {
    if (DATA_FOLDER.every((name) => existsSync(path.join(folder, name)))) return true;
    if (folder === path.dirname(folder)) return false;
  }
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
