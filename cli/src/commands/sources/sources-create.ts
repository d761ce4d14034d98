import { createSource, getSource, startDiscovery } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { withNames } from '../../command/choice.ts';
import { WeirCommand } from '../../command/command.ts';
import { credentialValues, FIELD_FORM } from '../../credential-values.ts';
import { readDocument, withSettings } from '../../document.ts';
import { exitOfRun } from '../../exit-codes.ts';
import { finishRun } from '../../run/finish-run.ts';

/** Creates a source, and discovers it when asked to. */
export class SourcesCreate extends WeirCommand {
  static override paths = [['sources', 'create']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: createSource.summary,
    examples: [
      [
        'CSV and Parquet files of a folder',
        'weir sources create --pattern files --name shop --set path=/data/shop --discover -w',
      ],
      [
        'Credentials from a file and a variable',
        'weir sources create --pattern shop-api --name shop --field password=@password.txt --field key=env:SHOP_KEY',
      ],
    ],
  });

  pattern = withNames(
    Option.String('--pattern', { description: 'Id of the connector pattern', required: true }),
    'pattern_id',
  );
  name = Option.String('--name', {
    description: 'Name of the source, unique in the tenant; the pattern with a number when absent',
  });
  file = Option.String('-f,--file', { description: 'Configuration in YAML or JSON; - reads stdin' });
  set = Option.Array('--set', [], { description: 'One value of the configuration, as key=value' });
  field = Option.Array('--field', [], { description: `A credential field: ${FIELD_FORM}` });
  jsonField = Option.Array('--json-field', [], { description: 'A credential field whose value is JSON and no text' });
  credentialName = Option.String('--credential-name', {
    description: 'Name of the new credential, where a secret store keeps them',
  });
  credentialRef = Option.String('--credential-ref', { description: 'A credential that is there, instead of fields' });
  discover = Option.Boolean('--discover', false, { description: 'Discover the streams at once' });
  wait = Option.Boolean('-w,--wait', false, { description: 'Wait for the end of the discovery' });

  async execute(): Promise<number> {
    if (this.wait && !this.discover) throw new CliError('usage', '-w waits for a discovery: add --discover.');
    const given = this.file === undefined ? {} : await readDocument(this.file, this.context.stdin);
    const values = await credentialValues({ text: this.field, json: this.jsonField }, this.context);
    const api = await this.api();
    const source = await api.call(createSource, {
      body: {
        ...{ pattern_id: this.pattern, source_config: withSettings(given, this.set) },
        ...(this.name === undefined ? {} : { name: this.name }),
        ...(values === undefined ? {} : { credential_values: values }),
        ...(this.credentialName === undefined ? {} : { credential_name: this.credentialName }),
        ...(this.credentialRef === undefined ? {} : { credential_ref: this.credentialRef }),
      },
    });
    if (!this.discover) {
      await this.show(source);
      return 0;
    }
    this.note(`source ${source.source_id} created`);
    const started = await api.call(startDiscovery, { body: { source_id: source.source_id } });
    if (!this.wait) {
      await this.show({ ...source, workflow_id: started.workflow_id });
      return 0;
    }
    const { watchDiscovery } = await import('../../run/watch-discovery.ts');
    const ended = await watchDiscovery(api, started.workflow_id, await this.watching());
    const isDraft = exitOfRun(ended.status) !== 'ok';
    const made = await api.call(getSource, { params: { source_id: source.source_id } });
    if (!isDraft || this.format() !== 'table') await this.show(made);
    if (isDraft) this.note(`${made.name} stays as a draft: weir sources update ${made.name}, or delete ${made.name}`);
    return finishRun(ended, api);
  }
}
