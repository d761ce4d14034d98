import { updateSource } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { sourceId } from '../../command/source-id.ts';
import { credentialValues, FIELD_FORM } from '../../credential-values.ts';
import { readDocument, withSettings } from '../../document.ts';
import { exitCode } from '../../exit-codes.ts';

/** Changes what is named of a source, and moves it to the version of its pattern that is in force. */
export class SourcesUpdate extends WeirCommand {
  static override paths = [['sources', 'update']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: updateSource.summary,
    details: 'What is not named stays. In a file, null takes a member of the configuration away.',
    examples: [
      ['Another folder', 'weir sources update shop --set path=/data/new-shop'],
      [
        'The version in force of its pattern, which asks for one more field',
        'weir sources update shop --pattern-version 2.0.0 --set region=eu',
      ],
    ],
  });

  source = Option.String({ name: 'source_id' });
  name = Option.String('--name', { description: 'Its new name' });
  patternVersion = Option.String('--pattern-version', {
    description: 'The version in force of its pattern, which it is to run with',
  });
  file = Option.String('-f,--file', { description: 'Changes of the configuration in YAML or JSON; - reads stdin' });
  set = Option.Array('--set', [], { description: 'One value of the configuration, as key=value' });
  field = Option.Array('--field', [], { description: `A credential field: ${FIELD_FORM}` });
  jsonField = Option.Array('--json-field', [], { description: 'A credential field whose value is JSON and no text' });
  credentialName = Option.String('--credential-name', {
    description: 'Name of a new credential, where a secret store keeps them',
  });

  async execute(): Promise<number> {
    const given = this.file === undefined ? {} : await readDocument(this.file, this.context.stdin);
    const config = withSettings(given, this.set);
    const values = await credentialValues({ text: this.field, json: this.jsonField }, this.context);
    const body = {
      ...(this.name === undefined ? {} : { name: this.name }),
      ...(this.patternVersion === undefined ? {} : { pattern_version: this.patternVersion }),
      ...(Object.keys(config).length === 0 ? {} : { source_config: config }),
      ...(values === undefined ? {} : { credential_values: values }),
      ...(this.credentialName === undefined ? {} : { credential_name: this.credentialName }),
    };
    if (Object.keys(body).length === 0) throw new CliError('usage', 'Name what is to be changed.');
    const api = await this.api();
    const source_id = await sourceId(api, this.source);
    await this.show(await api.call(updateSource, { params: { source_id }, body }));
    return exitCode('ok');
  }
}
