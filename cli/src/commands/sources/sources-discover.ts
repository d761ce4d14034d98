import { startDiscovery } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { withNames } from '../../command/choice.ts';
import { WeirCommand } from '../../command/command.ts';
import { sourceId } from '../../command/source-id.ts';
import { credentialValues, FIELD_FORM } from '../../credential-values.ts';
import { readDocument, withSettings } from '../../document.ts';
import { finishRun } from '../../run/finish-run.ts';

/** Starts a discovery of a source, or of a configuration before there is a source. */
export class SourcesDiscover extends WeirCommand {
  static override paths = [['sources', 'discover']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: startDiscovery.summary,
    examples: [
      ['A source', 'weir sources discover shop -w'],
      [
        'A source as a change would leave it, which changes nothing',
        'weir sources discover shop --set path=/data/new -w',
      ],
      ['A configuration', 'weir sources discover --pattern files --set path=/data/shop -w'],
    ],
  });

  source = Option.String({ name: 'source_id', required: false });
  pattern = withNames(
    Option.String('--pattern', { description: 'Id of the connector pattern, without a source' }),
    'pattern_id',
  );
  file = Option.String('-f,--file', {
    description: 'Configuration, or what changes in that of the source, in YAML or JSON; - reads stdin',
  });
  set = Option.Array('--set', [], { description: 'One value of the configuration, as key=value' });
  field = Option.Array('--field', [], { description: `A credential field: ${FIELD_FORM}` });
  jsonField = Option.Array('--json-field', [], { description: 'A credential field whose value is JSON and no text' });
  credentialRef = Option.String('--credential-ref', { description: 'A credential that is there, without a source' });
  queue = Option.Boolean('--queue', false, { description: 'Accept the run although no worker polls for it' });
  wait = Option.Boolean('-w,--wait', false, { description: 'Wait for the end' });

  async execute(): Promise<number> {
    if ((this.source === undefined) === (this.pattern === undefined)) {
      throw new CliError('usage', 'Name either a source or --pattern.');
    }
    const given = this.file === undefined ? {} : await readDocument(this.file, this.context.stdin);
    const values = await credentialValues({ text: this.field, json: this.jsonField }, this.context);
    const credentials = {
      ...(values === undefined ? {} : { credential_values: values }),
      ...(this.credentialRef === undefined ? {} : { credential_ref: this.credentialRef }),
    };
    if (this.source !== undefined && this.credentialRef !== undefined) {
      throw new CliError('usage', 'A source has its own credential: --credential-ref goes with --pattern alone.');
    }
    const api = await this.api();
    const config = { source_config: withSettings(given, this.set), ...credentials };
    const isChange = this.file !== undefined || this.set.length > 0 || values !== undefined;
    const body =
      this.source === undefined
        ? { pattern_id: this.pattern as string, ...config }
        : { source_id: await sourceId(api, this.source), ...(isChange && config) };
    const started = await api.call(startDiscovery, { body, query: this.queue ? { queue: true } : {} });
    if (started.warning) this.note(`warning: ${started.warning.detail}`);
    if (!this.wait) {
      await this.show(started);
      this.note(`how it stands: weir sources discovery get ${started.workflow_id}`);
      return 0;
    }
    const { watchDiscovery } = await import('../../run/watch-discovery.ts');
    const ended = await watchDiscovery(api, started.workflow_id, await this.watching());
    const people = this.format() === 'table' && ended.streams !== null;
    await this.show(people ? ended.streams : ended, {
      columns: ['name', 'namespace', 'supported_sync_modes', 'default_cursor_field'],
    });
    return finishRun(ended, api);
  }
}
