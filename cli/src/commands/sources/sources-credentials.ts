import { rotateCredentials, setCredentials } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { sourceId } from '../../command/source-id.ts';
import { credentialValues, FIELD_FORM } from '../../credential-values.ts';
import { exitCode } from '../../exit-codes.ts';

const category = 'Sources';
const FIELD = { description: `A credential field: ${FIELD_FORM}` };
const JSON_FIELD = { description: 'A credential field whose value is JSON and no text, given alike' };
const REF = { description: 'A credential that is there' };

/** Gives a source its first credential. */
export class SourcesCredentialsSet extends WeirCommand {
  static override paths = [['sources', 'credentials', 'set']];
  static override usage = Command.Usage({
    category,
    description: setCredentials.summary,
    details: 'Values come from files, variables or stdin, and never from the command line, where others see them.',
    examples: [
      ['A new one', 'weir sources credentials set shop --name shop-db --field password=@password.txt'],
      ['One that another source uses', 'weir sources credentials set shop --ref cred_aaaaaaaaaaaaaaaaaaaaaaaaaa'],
    ],
  });

  source = Option.String({ name: 'source_id' });
  credentialName = Option.String('--name', { description: 'Name of the new credential, unique in the tenant' });
  ref = Option.String('--ref', REF);
  field = Option.Array('--field', [], FIELD);
  jsonField = Option.Array('--json-field', [], JSON_FIELD);

  async execute(): Promise<number> {
    const values = await credentialValues({ text: this.field, json: this.jsonField }, this.context);
    const body = {
      ...(values === undefined ? {} : { credential_values: values }),
      ...(this.credentialName === undefined ? {} : { credential_name: this.credentialName }),
      ...(this.ref === undefined ? {} : { credential_ref: this.ref }),
    };
    if (Object.keys(body).length === 0) throw new CliError('usage', 'Give --name with --field, or --ref.');
    const api = await this.api();
    const source_id = await sourceId(api, this.source);
    await this.show(await api.call(setCredentials, { params: { source_id }, body }));
    return exitCode('ok');
  }
}

/** Writes the next version of a source's credential. */
export class SourcesCredentialsRotate extends WeirCommand {
  static override paths = [['sources', 'credentials', 'rotate']];
  static override usage = Command.Usage({
    category,
    description: rotateCredentials.summary,
    details: 'All fields of the credential are given again; those that are not are gone in the new version.',
    examples: [['One field', 'weir sources credentials rotate shop --field password=env:NEW_PASSWORD']],
  });

  source = Option.String({ name: 'source_id' });
  field = Option.Array('--field', [], FIELD);
  jsonField = Option.Array('--json-field', [], JSON_FIELD);

  async execute(): Promise<number> {
    const values = await credentialValues({ text: this.field, json: this.jsonField }, this.context);
    if (values === undefined) throw new CliError('usage', `Give the new values: --field ${FIELD_FORM}.`);
    const api = await this.api();
    const source_id = await sourceId(api, this.source);
    const body = { credential_values: values };
    await this.show(await api.call(rotateCredentials, { params: { source_id }, body }));
    return exitCode('ok');
  }
}
