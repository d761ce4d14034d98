import { deleteStream } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';
import { sourceId } from '../../command/source-id.ts';
import { targetOf } from '../../command/target.ts';
import { allStreams, labelOf, streamOf } from './sources-streams-set.ts';

/** Removes streams of a source, after naming them and what stays. */
export class SourcesStreamsDelete extends WeirCommand {
  static override paths = [['sources', 'streams', 'delete']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: deleteStream.summary,
    details: 'Streams are given by name, as namespace.name, or by id. Refused while a run of the source is open.',
    examples: [['Remove one', 'weir sources streams delete shop orders']],
  });

  source = Option.String({ name: 'source_id' });
  streams = Option.Rest({ name: 'stream', required: 1 });

  async execute(): Promise<number> {
    const api = await this.api();
    const source_id = await sourceId(api, this.source);
    const known = await allStreams(api, source_id);
    const chosen = this.streams.map((given) => streamOf(known, given));
    const named = chosen.map((stream) => `${labelOf(stream)} (its table ${stream.destination.dataset_id} stays)`);
    await confirm(this, `Remove from ${this.source} of ${targetOf(api)}: ${named.join(', ')}`);
    for (const { stream_id, etag } of chosen) {
      await api.call(deleteStream, { params: { source_id, stream_id } }, { etag });
    }
    this.note(`removed ${chosen.length}`);
    return 0;
  }
}
