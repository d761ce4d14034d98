import { previewReset, resetStream } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';
import { sourceId } from '../../command/source-id.ts';
import { targetOf } from '../../command/target.ts';
import { allStreams, labelOf, streamOf } from './sources-streams-set.ts';

/** Lets the next sync of a stream start from nothing, after telling what that means. */
export class SourcesReset extends WeirCommand {
  static override paths = [['sources', 'reset']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: resetStream.summary,
    details: 'Tells the consequences first, and is refused when the stream has changed since they were told.',
    examples: [['One stream', 'weir sources reset shop orders']],
  });

  source = Option.String({ name: 'source_id' });
  stream = Option.String({ name: 'stream' });
  dryRun = Option.Boolean('--dry-run', false, { description: 'Only tell the consequences' });

  async execute(): Promise<number> {
    const api = await this.api();
    const source_id = await sourceId(api, this.source);
    const { stream_id } = streamOf(await allStreams(api, source_id), this.stream);
    const params = { source_id, stream_id };
    const consequence = await api.call(previewReset, { params });
    if (this.dryRun) {
      await this.show(consequence);
      return 0;
    }
    for (const sentence of consequence.sentences) this.context.stderr.write(`${sentence}\n`);
    await confirm(this, `Reset ${labelOf(consequence)} of ${this.source} of ${targetOf(api)}`);
    await this.show(await api.call(resetStream, { params }, { etag: consequence.etag }));
    return 0;
  }
}
