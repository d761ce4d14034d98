import type { ImageReference } from '@weir/connector-runtime';
import { PATTERN_PROTOCOL, type PatternFile } from '../../contract/source/pattern-file.ts';
import { compareVersions } from '../pattern/plan-pattern.ts';
import type { SpecDocument } from '../pattern/spec-document.ts';
import { foundFields } from './found-fields.ts';

const VERSION = /^(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8})){2}$/;
const FIRST_VERSION = '1.0.0';
const MAX_ID_CHARS = 63;
const MAX_NAME_CHARS = 100;

/** An image that was asked how it is configured. */
export interface InspectedImage {
  image: ImageReference;
  /** The image pinned by its digest. */
  reference: string;
  document: SpecDocument;
}

/** What people decide of the pattern; the rest follows from the image. */
export interface DraftChoices {
  pattern_id?: string | undefined;
  name?: string | undefined;
  not_credentials?: readonly string[] | undefined;
}

/** The pattern of an image, without its version: secrets and places are marked. Pure. */
export function draftPattern(
  inspected: InspectedImage,
  { pattern_id: id, name, not_credentials: open = [] }: DraftChoices,
): Omit<PatternFile, 'version'> {
  const { image, reference, document } = inspected;
  const { asked, places } = foundFields(document.spec);
  const secrets = asked.filter((pointer) => !open.includes(pointer));
  const fields = [
    ...secrets.map((path) => ({ path, type: 'password', credential: true })),
    ...places.map((path) => ({ path, type: 'string', place: true })),
  ];
  return {
    id: id ?? idOf(image),
    display: { name: name ?? nameOf(inspected) },
    image: reference,
    source_name: lastPart(image),
    ...(document.docs === null ? {} : { docs: document.docs }),
    protocol: PATTERN_PROTOCOL,
    spec: document.spec,
    ...(fields.length === 0 ? {} : { fields }),
  };
}

/** The version of a pattern whose content is new: its tag where that is one and comes after the version in force, else the next. Pure. */
export function nextVersion({ tag }: ImageReference, standing: string | undefined): string {
  const own = tag !== undefined && VERSION.test(tag) ? tag : undefined;
  if (standing === undefined) return own ?? FIRST_VERSION;
  if (own !== undefined && compareVersions(own, standing) > 0) return own;
  const [major, minor, patch] = standing.split('.').map(Number);
  return [major, minor, (patch ?? 0) + 1].join('.');
}

const lastPart = ({ repository }: ImageReference) => repository.slice(repository.lastIndexOf('/') + 1);

/** The id that a pattern of an image has unless another one is chosen. Pure. */
export function idOf(image: ImageReference): string {
  const name = lastPart(image)
    .replace(/^(?:airbyte-)?source-/, '')
    .replaceAll(/[^a-z0-9-]+/g, '-');
  return (/^[a-z]/.test(name) ? name : `c-${name}`).slice(0, MAX_ID_CHARS);
}

/** What people call the connector: the title of its specification without what all of them say. Pure. */
export function nameOf({ image, document }: Pick<InspectedImage, 'image' | 'document'>): string {
  const { title } = document.spec;
  const said = typeof title === 'string' ? title.replaceAll(/\s+/g, ' ').trim() : '';
  const name = ` ${said}`.replace(/(?: source)?(?: connector)?(?: spec(?:ification)?)?$/i, '').trim();
  return (name || idOf(image)).slice(0, MAX_NAME_CHARS);
}
