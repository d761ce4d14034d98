import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';

const DOCUMENT = `# A document: weir diff -f documents shows what it would change.
apiVersion: service.platform/v1
kind: Source
metadata:
  name: shop
spec:
  pattern_id: files
  source_config:
    path: /data/shop
`;

/** Plans on every pull request; applies what is merged. */
const CI = `name: weir
on:
  pull_request:
  push:
    branches: [main]
env:
  WEIR_URL: \${{ vars.WEIR_URL }}
  WEIR_TENANT: \${{ vars.WEIR_TENANT }}
  WEIR_TOKEN: \${{ secrets.WEIR_TOKEN }}
jobs:
  plan:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: weir diff -f documents
  apply:
    if: github.event_name == 'push'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: weir apply -f documents --yes
`;

const FILES: Readonly<Record<string, string>> = {
  'documents/source/shop.yaml': DOCUMENT,
  '.github/workflows/weir.yaml': CI,
};

/** Begins a folder of documents for git. */
export class Init extends WeirCommand {
  static override paths = [['init']];
  static override usage = Command.Usage({
    category: 'Configuration',
    description: 'Begin a folder of documents for git, with a file for CI',
    details: 'Writes an example document and a GitHub workflow that plans pull requests and applies what is merged.',
    examples: [['In the folder of a repository', 'weir init']],
  });

  folder = Option.String({ required: false, name: 'folder' });

  async execute(): Promise<number> {
    const root = path.resolve(this.context.cwd, this.folder ?? '.');
    for (const [file, text] of Object.entries(FILES)) {
      await mkdir(path.dirname(path.join(root, file)), { recursive: true });
      await writeFile(path.join(root, file), text, { flag: 'wx' }).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== 'EEXIST') throw cause;
        throw new CliError('conflict', `${file} is there already; it stays as it is.`, { cause });
      });
      this.note(`wrote ${file}`);
    }
    return 0;
  }
}
