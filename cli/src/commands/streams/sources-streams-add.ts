import { createStream } from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { sourceId } from '../../command/source-id.ts';
import { readDocument } from '../../document.ts';
import { StreamSettingsCommand } from './sources-stream-settings.ts';

/** Adds a stream to a source by hand. */
export class SourcesStreamsAdd extends StreamSettingsCommand {
  static override paths = [['sources', 'streams', 'add']];
  static override usage = Command.Usage({
    category: 'Sources',
    description: createStream.summary,
    details: 'The document is the body of the API; flags are laid over it. Without --enable the stream is disabled.',
    examples: [
      ['From a document', 'weir sources streams add shop -f orders.yaml --enable'],
      ['From a schema', 'weir sources streams add shop --name orders --namespace sales --schema orders.schema.json'],
    ],
  });

  source = Option.String({ name: 'source_id' });
  file = Option.String('-f,--file', { description: 'The stream in YAML or JSON; - reads stdin' });
  name = Option.String('--name', { description: 'Name of the stream, as the source has it' });
  namespace = Option.String('--namespace', { description: 'Container of the stream in the source' });
  schema = Option.String('--schema', { description: 'File with the JSON Schema of its records; - reads stdin' });

  async execute(): Promise<number> {
    const { stdin } = this.context;
    const given = this.file === undefined ? {} : await readDocument(this.file, stdin);
    const body = {
      ...given,
      ...(this.name === undefined ? {} : { name: this.name }),
      ...(this.namespace === undefined ? {} : { namespace: this.namespace }),
      ...(this.schema === undefined ? {} : { schema: await readDocument(this.schema, stdin) }),
      ...this.settings(),
    };
    if (!('name' in body) || !('schema' in body)) {
      throw new CliError('usage', 'A stream has a name and a schema: give both by flags or in the document.');
    }
    const api = await this.api();
    const params = { source_id: await sourceId(api, this.source) };
    await this.show(await api.call(createStream, { params, body: body as never }));
    return 0;
  }
}
