import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import {
  DISCOVERY_PHASES,
  type DiscoveredStreamView,
  type DiscoveryWarningView,
  type PullView,
  type StreamLookView,
} from '../../contract.ts';
import type { NamedImage } from '../runtime/named-image.ts';

/** One stream as a discovery keeps it: the wire's view, and the connector's own words. */
export interface KeptStream extends DiscoveredStreamView {
  discovered: Record<string, unknown>;
}

/** Name and namespace of a stream. */
export type FoundStream = Pick<DiscoveredStreamView, 'name' | 'namespace'>;

/**
 * A row of `sources.discovery`. Without a source the configuration waits here until it was used, at most until
 * `expiresAt`; `discoveryId` is what the run is about.
 */
export const DiscoveryEntity = defineEntity({
  name: 'Discovery',
  schema: 'sources',
  tableName: 'discovery',
  properties: {
    tenantId: p.uuid().primary(),
    runId: p.uuid().primary(),
    discoveryId: p.uuid(),
    sourceId: p.uuid().nullable(),
    /** Whether its end brings the streams of the source in line with it. */
    applies: p.boolean(),
    phase: p.enum(DISCOVERY_PHASES),
    /** How far the image is pulled, while it is. */
    pull: p.json<PullView>().nullable(),
    patternId: p.string(),
    sourceConfig: p.json<Record<string, unknown>>().nullable(),
    /** Credentials that belong to no source yet, sealed for this row until `expiresAt`. */
    sealed: p.text().nullable(),
    /** Digest of the place that they were given for. */
    place: p.string().nullable(),
    /** The credential in the secret store that it uses, until `expiresAt`. */
    credentialId: p.uuid().nullable(),
    /** The image that was run, when it was in a container. */
    image: p.json<NamedImage>().nullable(),
    streams: p.json<KeptStream[]>().nullable(),
    /** What it has run with, and the name and namespace of each stream that it found; of a source only. */
    seenConfig: p.string().nullable(),
    seenCredential: p.string().nullable(),
    foundStreams: p.json<FoundStream[]>().nullable(),
    /** Streams that could not be described, or are gone. */
    warnings: p.json<DiscoveryWarningView[]>().nullable(),
    /** What its connector shows of the streams, for a day; of a configuration that is no source only. */
    looks: p.json<StreamLookView[]>().nullable(),
    /** The version of the pattern of a source whose changed configuration it looks at. */
    patternVersion: p.string().nullable(),
    expiresAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});
export type DiscoveryRow = InferEntity<typeof DiscoveryEntity>;
