import { ConnectorError } from '../connector-error.ts';

/** An image as a pattern names it, in parts. `repository` is registry and path together, as the engine wants it. */
export type ImageReference = {
  readonly repository: string;
  readonly tag: string | undefined;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string | undefined;
};

/** The longest reference; registries allow a path of 255 characters, and a tag of 128. */
const MAX_REFERENCE_CHARS = 400;
const MAX_REPOSITORY_CHARS = 255;
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
/** Only what has a dot or a port, or is this machine, names a registry; anything else begins a path. */
const HOST = `(?:localhost|${LABEL}(?:\\.${LABEL})+|${LABEL}(?=:[0-9]))(?::[0-9]{1,5})?`;
const PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
/** The grammar of distribution/reference, with sha256 as the one algorithm. */
const REFERENCE = new RegExp(
  `^(?<repository>(?:${HOST}/)?${PART}(?:/${PART})*)(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$`,
);

/** Takes an image reference apart. Anything else than one is `connector_image_invalid`, and reaches no engine. */
export function parseImageReference(text: string): ImageReference {
  const groups = text.length > MAX_REFERENCE_CHARS ? undefined : REFERENCE.exec(text)?.groups;
  const repository = groups?.repository;
  if (repository === undefined || repository.length > MAX_REPOSITORY_CHARS) {
    throw new ConnectorError('connector_image_invalid');
  }
  return { repository, tag: groups?.tag, digest: groups?.digest };
}

/** The text by which the engine finds or pulls exactly that image; a digest says more than a tag. */
export function referenceText({ repository, tag = 'latest', digest }: ImageReference): string {
  return digest === undefined ? `${repository}:${tag}` : `${repository}@${digest}`;
}
