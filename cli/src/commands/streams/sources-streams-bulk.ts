import { bulkStreams } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';
import { sourceId } from '../../command/source-id.ts';
import { targetOf } from '../../command/target.ts';
import { readDocument } from '../../document.ts';

/** Makes, changes and removes many streams at once, from a document. */
export class SourcesStreamsBulk extends WeirCommand {
  static override paths = [['sources', 'streams', 'bulk']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: bulkStreams.summary,
    details: 'The document holds streams: a list, each item with stream_id or name, and what is to be so.',
    examples: [['From a document', 'weir sources streams bulk shop -f streams.yaml']],
  });

  source = Option.String({ name: 'source_id' });
  file = Option.String('-f,--file', { description: 'The document in YAML or JSON; - reads stdin', required: true });

  async execute(): Promise<number> {
    const body = await readDocument(this.file, this.context.stdin);
    const api = await this.api();
    const params = { source_id: await sourceId(api, this.source) };
    const removed = removedIn(body);
    if (removed.length > 0) {
      await confirm(this, `Remove from ${this.source} of ${targetOf(api)}: ${removed.join(', ')}; the tables stay`);
    }
    const answer = await api.call(bulkStreams, { params, body: body as never });
    const people = this.format() === 'table' || this.format() === 'wide';
    await this.show(people ? answer.results : answer, {
      columns: ['action', 'stream_id', 'name', 'stream.enabled', 'stream.sync_mode', 'stream.write_mode'],
    });
    return 0;
  }
}

/** The streams that a document asks to remove, as it names them. */
function removedIn({ streams }: Record<string, unknown>): string[] {
  if (!Array.isArray(streams)) return [];
  return streams.flatMap((item: { delete?: unknown; name?: unknown; stream_id?: unknown } | null) =>
    item?.delete === true ? [String(item.name ?? item.stream_id)] : [],
  );
}
