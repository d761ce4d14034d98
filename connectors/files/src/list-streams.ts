import { matchesGlob } from 'node:path';
import type { SourceError } from '@weir/connector-sdk';
import type { FilesConfig } from './config.ts';
import { fault } from './fault.ts';
import type { FolderBounds } from './folder-bounds.ts';
import { listAddresses } from './list-addresses.ts';
import { type Listing, listFolder } from './list-folder.ts';
import { endingsOf, type FileStream, isTabbed, type SourceFile, unreadKind, type Writing } from './source-file.ts';

/**
 * The streams that a configuration gives and their files in name order. Refuses with `stream_names_alike`, with
 * `no_files_matched` when a named stream, or the whole, is empty, and with what listing a folder or addresses refuses.
 */
export async function listStreams(config: FilesConfig, bounds: FolderBounds): Promise<FileStream[]> {
  const globs = config.streams?.map((stream) => stream.glob) ?? [config.glob];
  const { place } = config;
  const listing = 'path' in place ? await listFolder(place.path, globs, bounds) : listAddresses(place.urls);
  const streams =
    config.streams === undefined
      ? byStem(await filesOf(listing, config)).map((stream) => ({ ...stream, types: config.types }))
      : await Promise.all(
          config.streams.map(async (stream) => ({
            name: stream.name,
            files: await filesOf(listing, stream),
            types: stream.types,
          })),
        );
  const empty = config.streams?.find((_, at) => streams[at]?.files.length === 0)?.glob;
  if (streams.length === 0 || empty !== undefined) throw nothingFault(listing, empty ?? config.glob);
  return streams.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Why a glob gives nothing: what it matches is of a kind that is not read, or it matches nothing. */
function nothingFault({ found }: Listing, glob: string): SourceError {
  const unread = found.find(({ name }) => unreadKind(name) !== undefined && matchesGlob(name, glob));
  const kind = unread === undefined ? undefined : unreadKind(unread.name);
  return kind === undefined ? fault('no_files_matched') : fault(kind, unread?.name);
}

/**
 * One stream for each stem. Where plain CSV or Parquet files share their stem with other files, those others are
 * streams by their full names: before there were other files, the stem was the name of the plain ones.
 */
function byStem(files: readonly SourceFile[]): FileStream[] {
  const streams: FileStream[] = [];
  for (const [stem, same] of Map.groupBy(files, (file) => endingsOf(file.name).stem)) {
    const isPlain = ({ format, packing, name }: SourceFile) =>
      (format === 'csv' || format === 'parquet') && !packing && !isTabbed(name);
    const kinds = new Set(same.map(({ format, packing, name }) => `${format} ${packing} ${isTabbed(name)}`));
    const plain = kinds.size > 1 ? same.filter(isPlain) : same;
    const formats = new Set((plain.length > 0 ? plain : same).map(({ format, packing }) => `${format} ${packing}`));
    if (formats.size > 1) throw fault('stream_names_alike');
    streams.push({ name: stem, files: plain });
    const others = same.filter((file) => !plain.includes(file));
    for (const [name, twins] of Map.groupBy(others, lastPart)) streams.push({ name, files: twins });
  }
  if (new Set(streams.map(({ name }) => name)).size < streams.length) throw fault('stream_names_alike');
  return streams;
}

const lastPart = ({ name }: SourceFile) => name.split('/').at(-1) ?? name;

async function filesOf(listing: Listing, config: Writing & { glob: string }): Promise<SourceFile[]> {
  const { glob, format: declared, encoding, delimiter, header, skip_lines, quote } = config;
  const writing = { encoding, header, skip_lines, quote, escape: config.escape };
  const files: SourceFile[] = [];
  for (const { name, key } of listing.found) {
    const endings = endingsOf(name);
    const format = declared ?? endings.format;
    if (format === undefined || unreadKind(name) !== undefined || !matchesGlob(name, glob)) continue;
    const place = await listing.placeOf(key);
    if (place === undefined) continue;
    const split = delimiter ?? (isTabbed(name) ? '\t' : undefined);
    files.push({ ...writing, name, key, format, packing: endings.packing, delimiter: split, place });
  }
  return files;
}
