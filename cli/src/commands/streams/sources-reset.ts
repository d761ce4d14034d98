import { previewReset, previewSourceReset, resetSource, resetStream } from '@weir/plugin-sources/contract';
import { Command, Option, UsageError } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';
import { sourceId } from '../../command/source-id.ts';
import { targetOf } from '../../command/target.ts';
import type { Api } from '../../connection/api.ts';
import { allStreams, labelOf, streamOf } from './sources-streams-set.ts';

/** Lets the next sync of a stream, or of all streams of a source, start from nothing, after telling what that means. */
export class SourcesReset extends WeirCommand {
  static override paths = [['sources', 'reset']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: resetStream.summary,
    details: 'Shows the consequences first, and is refused when the stream has changed since.',
    examples: [
      ['One stream', 'weir sources reset shop orders'],
      ['All streams', 'weir sources reset shop --all'],
    ],
  });

  source = Option.String({ name: 'source_id' });
  stream = Option.String({ name: 'stream', required: false });
  all = Option.Boolean('--all', false, { description: 'Reset all streams of the source in one step' });
  dryRun = Option.Boolean('--dry-run', false, { description: 'Only tell the consequences' });

  async execute(): Promise<number> {
    const api = await this.api();
    const source_id = await sourceId(api, this.source);
    if (this.all === (this.stream !== undefined)) throw new UsageError('Name a stream, or give --all.');
    if (this.stream === undefined) return this.resetAll(api, source_id);
    const { stream_id } = streamOf(await allStreams(api, source_id), this.stream);
    const params = { source_id, stream_id };
    const consequence = await api.call(previewReset, { params });
    if (!(await this.isWanted(api, consequence, labelOf(consequence)))) return 0;
    await this.show(await api.call(resetStream, { params }, { etag: consequence.etag }));
    return 0;
  }

  private async resetAll(api: Api, source_id: string): Promise<number> {
    const params = { source_id };
    const consequence = await api.call(previewSourceReset, { params });
    if (!(await this.isWanted(api, consequence, 'all streams'))) return 0;
    await this.show(await api.call(resetSource, { params }, { etag: consequence.etag }));
    return 0;
  }

  /** Tells the consequences and asks; false when they are all that is wanted. */
  private async isWanted(api: Api, consequence: { readonly sentences: readonly string[] }, what: string) {
    if (this.dryRun) {
      await this.show(consequence);
      return false;
    }
    for (const sentence of consequence.sentences) this.context.stderr.write(`${sentence}\n`);
    await confirm(this, `Reset ${what} of ${this.source} of ${targetOf(api)}`);
    return true;
  }
}
