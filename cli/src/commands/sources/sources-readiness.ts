import { getSource, getSourceReadiness } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { sourceId } from '../../command/source-id.ts';
import { ageText } from '../../duration.ts';
import { showReadiness } from '../show-readiness.ts';

/** Shows what a start of a sync would be refused for, and what is worth a look. */
export class SourcesReadiness extends WeirCommand {
  static override paths = [['sources', 'readiness']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: getSourceReadiness.summary,
    examples: [['A source', 'weir sources readiness shop']],
  });

  source = Option.String({ name: 'source_id' });

  async execute(): Promise<number> {
    const api = await this.api();
    const params = { source_id: await sourceId(api, this.source) };
    const answer = await api.call(getSourceReadiness, { params });
    await showReadiness(this, answer);
    if (this.format() !== 'table' && this.format() !== 'wide') return 0;
    if (!answer.ready) return 0;
    const { last_run } = await api.call(getSource, { params });
    if (last_run?.failure == null) return 0;
    const { failure, ended_at } = last_run;
    const age = ended_at === null ? '' : ` ${ageText(ended_at)}`;
    this.note(`the last sync ${last_run.status}${age}: ${failure.detail} (${failure.code})`);
    return 0;
  }
}
