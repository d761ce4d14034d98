import { didYouMean } from '@weir/documents/did-you-mean';
import { listStreams, type StreamView, updateStream } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { sourceId } from '../../command/source-id.ts';
import type { Api } from '../../connection/api.ts';
import { StreamSettingsCommand } from './sources-stream-settings.ts';

const PAGE = 500;

/** Changes how streams of a source are synced. */
export class SourcesStreamsSet extends StreamSettingsCommand {
  static override paths = [['sources', 'streams', 'set']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: updateStream.summary,
    details: 'Streams are given by name, as namespace.name, or by id.',
    examples: [
      [
        'Switch two streams on',
        'weir sources streams set shop orders customers --enable --sync-mode incremental --write-mode append',
      ],
    ],
  });

  source = Option.String({ name: 'source_id' });
  streams = Option.Rest({ name: 'stream', required: 1 });

  async execute(): Promise<number> {
    const body = this.settings();
    if (Object.keys(body).length === 0)
      throw new CliError('usage', 'Say what to change.', { hint: 'weir sources streams set --help' });
    const api = await this.api();
    const id = await sourceId(api, this.source);
    const known = await allStreams(api, id);
    const chosen = this.streams.map((given) => streamOf(known, given));
    const items = [];
    for (const { stream_id } of chosen) {
      items.push(await api.call(updateStream, { params: { source_id: id, stream_id }, body }));
    }
    await this.show(
      { items },
      {
        columns: ['stream_id', 'name', 'enabled', 'sync_mode', 'write_mode', 'cursor_field', 'destination.dataset_id'],
      },
    );
    return 0;
  }
}

/** Every stream of a source, page by page. */
export async function allStreams(api: Api, id: string): Promise<StreamView[]> {
  const streams: StreamView[] = [];
  let token: string | null | undefined;
  do {
    const page = await api.call(listStreams, {
      params: { source_id: id },
      query: { limit: PAGE, ...(token ? { page_token: token } : {}) },
    });
    streams.push(...page.items);
    token = page.next_page_token;
  } while (token);
  return streams;
}

/** A stream as people name it: `namespace.name`, or its name alone. */
export const labelOf = (stream: Pick<StreamView, 'name' | 'namespace'>) =>
  stream.namespace === null ? stream.name : `${stream.namespace}.${stream.name}`;

/** The stream that was given by id, name or namespace.name; `notFound` names the nearest one. */
export function streamOf(known: readonly StreamView[], given: string): StreamView {
  const found = known.filter((stream) => stream.stream_id === given || labelOf(stream) === given);
  const named = found.length > 0 ? found : known.filter((stream) => stream.name === given);
  if (named.length === 1) return named[0] as StreamView;
  if (named.length > 1) throw new CliError('usage', `Several streams are named ${given}: write namespace.name.`);
  const near = didYouMean(given, known.map(labelOf));
  throw new CliError('notFound', `The source has no stream ${given}.`, {
    code: 'not_found',
    hint: near === undefined ? 'weir sources streams list shows them.' : `Did you mean ${near}?`,
  });
}
