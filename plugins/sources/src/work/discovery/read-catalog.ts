import type { CatalogStream } from '@weir/connector-sdk';
import { MAX_STREAMS, SYNC_MODES } from '../../contract.ts';
import type { KeptStream } from '../../model/discovery/entity.ts';
import { discoveredNamespace } from '../../model/stream/settings.ts';

const MAX_NAME = 512;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** What is wrong with a catalog as a whole. */
export type CatalogFault =
  | 'no_streams_found'
  | 'stream_names_ambiguous'
  | 'stream_names_unusable'
  | 'catalog_too_large';

/**
 * Turns a connector's catalog into streams as the service keeps them. The name is the key of a stream within its
 * source, so two of one name in different namespaces are refused. A namespace that is blank or repeats the name is none.
 */
export function readCatalog(streams: readonly CatalogStream[]): KeptStream[] | CatalogFault {
  if (streams.length === 0) return 'no_streams_found';
  if (streams.length > MAX_STREAMS) return 'catalog_too_large';
  const names = new Set(streams.map(({ name }) => name));
  if (names.size !== streams.length) return 'stream_names_ambiguous';
  if (!streams.every(isUsable)) return 'stream_names_unusable';
  return streams.map((stream) => {
    const { name, namespace, json_schema, supported_sync_modes: modes } = stream;
    const supported = SYNC_MODES.filter((mode) => (modes ?? ['full_refresh']).includes(mode));
    return {
      name,
      namespace: discoveredNamespace(name, namespace),
      schema: json_schema as Record<string, unknown>,
      supported_sync_modes: supported.length === 0 ? ['full_refresh'] : supported,
      source_defined_cursor: stream.source_defined_cursor === true,
      default_cursor_field: nonEmpty(stream.default_cursor_field),
      source_defined_primary_key: nonEmpty(stream.source_defined_primary_key?.map((path) => [...path])),
      discovered: { ...stream },
    };
  });
}

/** Whether everything that is kept as text of its own can be: plain, well-formed and not too long. */
function isUsable({ name, namespace, default_cursor_field: cursor, source_defined_primary_key: key }: CatalogStream) {
  const texts = [name, namespace ?? ' ', ...(cursor ?? []), ...(key ?? []).flat()];
  return texts.every((text) => text.length <= MAX_NAME && text.isWellFormed() && !CONTROL.test(text)) && name !== '';
}

function nonEmpty<T>(list: readonly T[] | undefined): T[] | null {
  return list === undefined || list.length === 0 ? null : [...list];
}
