import { getDataset } from '@weir/plugin-datasets/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';

const DATA_DIR = { description: 'Data folder; .weir of the checkout unless given' };
const DOWN_TIMEOUT_MS = 120_000;

const notRunning = (folder: string) =>
  new CliError('notFound', 'No development server runs here.', {
    code: 'not_running',
    hint: `weir dev up starts one; data folder: ${folder}`,
  });

/** Starts everything that development needs, in the foreground. */
export class DevUp extends WeirCommand {
  static override paths = [['dev', 'up']];
  static override usage = Command.Usage({
    category: 'Development',
    description: 'Start everything on this machine, in the foreground',
    details: 'DB_HOST, WORKFLOW_HOST and IDP_URL name services to use instead of the embedded ones.',
    examples: [
      ['All of it, with the demo, then stop', 'weir dev up --demo --once'],
      ['On another port than 8080', 'weir dev up --port 8081'],
    ],
  });

  demo = Option.Boolean('--demo', false, { description: 'Load public data and show it' });
  once = Option.Boolean('--once', false, { description: 'Stop everything when all is done' });
  fresh = Option.Boolean('--fresh', false, { description: 'Delete the data of earlier starts first' });
  timings = Option.Boolean('--timings', false, { description: 'Print how long each step took, in ms, as JSON' });
  port = Option.String('--port', { description: 'Port of the API, in place of WEIR_HTTP_PORT' });
  dataDir = Option.String('--data-dir', DATA_DIR);

  async execute(): Promise<number> {
    const { dataFolder, devUp } = await import('../../dev/dev-up.ts');
    const { reporter } = await import('../../dev/parts/reporter.ts');
    const { stderr, env } = this.context;
    const color = (stderr as NodeJS.WriteStream).isTTY === true && !env.NO_COLOR && !this.noColor;
    const dataDir = dataFolder(this.context, this.dataDir);
    if (this.fresh) await confirm(this, `Delete all data in ${dataDir}`);
    const port = this.port === undefined ? {} : { WEIR_HTTP_PORT: this.port };
    await devUp(
      { ...this.context, env: { ...env, ...port } },
      { dataDir, demo: this.demo, once: this.once, fresh: this.fresh, printTimings: this.timings },
      reporter(stderr, color),
    );
    return 0;
  }
}

/** Stops the development server and waits until all of it is gone. */
export class DevDown extends WeirCommand {
  static override paths = [['dev', 'down']];
  static override usage = Command.Usage({ category: 'Development', description: 'Stop what dev up started' });

  dataDir = Option.String('--data-dir', DATA_DIR);

  async execute(): Promise<number> {
    const { dataFolder } = await import('../../dev/dev-up.ts');
    const { stopServer } = await import('../../dev/dev-down.ts');
    const folder = dataFolder(this.context, this.dataDir);
    if (!(await stopServer(folder, this.timeoutMs(DOWN_TIMEOUT_MS)))) throw notRunning(folder);
    this.note('stopped');
    return 0;
  }
}

/** Stops the development server and deletes its data. */
export class DevReset extends WeirCommand {
  static override paths = [['dev', 'reset']];
  static override usage = Command.Usage({
    category: 'Development',
    description: 'Stop what dev up started and delete its data',
  });

  dataDir = Option.String('--data-dir', DATA_DIR);

  async execute(): Promise<number> {
    const { dataFolder } = await import('../../dev/dev-up.ts');
    const { stopServer } = await import('../../dev/dev-down.ts');
    const { deleteData } = await import('../../dev/folder/data-folder.ts');
    const folder = dataFolder(this.context, this.dataDir);
    await confirm(this, `Delete all data in ${folder}`);
    await stopServer(folder, this.timeoutMs(DOWN_TIMEOUT_MS));
    const kept = await deleteData(folder);
    if (kept.length === 0) this.note(`deleted ${folder}`);
    else this.note(`deleted the data in ${folder}, but for ${kept.join()}: the database is another one, and needs it`);
    return 0;
  }
}

/** Every address and process of the running development server. */
export class DevStatus extends WeirCommand {
  static override paths = [['dev', 'status']];
  static override usage = Command.Usage({
    category: 'Development',
    description: 'Show every address and process of dev up',
  });

  dataDir = Option.String('--data-dir', DATA_DIR);

  async execute(): Promise<number> {
    const { dataFolder } = await import('../../dev/dev-up.ts');
    const { devStatus } = await import('../../dev/status.ts');
    const folder = dataFolder(this.context, this.dataDir);
    const status = await devStatus(folder);
    if (status === undefined) throw notRunning(folder);
    const { processes, ...addresses } = status;
    if (this.format() !== 'table' || this.query !== undefined) await this.show(status);
    else {
      await this.show(addresses);
      this.context.stdout.write('\n');
      await this.show(processes, { columns: ['name', 'role', 'pid', 'parent'] });
    }
    return 0;
  }
}

/** How independent readers open a table of the running development server. */
export class DevConnect extends WeirCommand {
  static override paths = [['dev', 'connect']];
  static override usage = Command.Usage({
    category: 'Development',
    description: 'Print lines that open a table of dev up with PyIceberg and DuckDB',
    details: 'They name the file with the password of a role that reads every tenant of this development server.',
    examples: [['Of a table of yours', 'weir dev connect bronze.demo.orders__orders --duckdb']],
  });

  dataset = Option.String({ name: 'dataset_id', required: false });
  duckdb = Option.Boolean('--duckdb', false, { description: 'Only the line of DuckDB' });
  pyiceberg = Option.Boolean('--pyiceberg', false, { description: 'Only the line of PyIceberg' });
  dataDir = Option.String('--data-dir', DATA_DIR);

  async execute(): Promise<number> {
    const { dataFolder } = await import('../../dev/dev-up.ts');
    const { runningState } = await import('../../dev/status.ts');
    const { DEMO_TABLE, openLines } = await import('../../dev/demo/open-lines.ts');
    const { openApi } = await import('../../connection/api.ts');
    const folder = dataFolder(this.context, this.dataDir);
    const state = await runningState(folder);
    if (state === undefined) throw notRunning(folder);
    const own = { url: state.api_url, tenant: state.tenant, token: state.token };
    const api = openApi(own, { interrupted: this.context.interrupted, timeoutMs: this.timeoutMs() });
    const dataset_id = this.dataset ?? DEMO_TABLE;
    const { metadata_location: location } = await api.call(getDataset, { params: { dataset_id } });
    const isAll = this.duckdb === this.pyiceberg;
    const items = openLines(state, dataset_id, location).filter(
      ({ reader }) => isAll || (reader === 'DuckDB') === this.duckdb,
    );
    if (this.format() !== 'table' || this.query !== undefined) await this.show({ items });
    else {
      const lines = items.map(({ reader, install, run }) => `# ${reader}; once: ${install}\n${run}\n`);
      this.context.stdout.write(lines.join('\n'));
    }
    return 0;
  }
}

/** The logs of the parts. */
export class DevLogs extends WeirCommand {
  static override paths = [['dev', 'logs']];
  static override usage = Command.Usage({
    category: 'Development',
    description: 'Print the logs of the parts, or of one',
    examples: [['Follow the worker', 'weir dev logs worker -f']],
  });

  part = Option.String({ name: 'part', required: false });
  follow = Option.Boolean('-f,--follow', false, { description: 'Go on as lines come' });
  tail = Option.String('--tail', '50', { description: 'How many last lines of each part' });
  dataDir = Option.String('--data-dir', DATA_DIR);

  async execute(): Promise<number> {
    if (!/^\d{1,6}$/.test(this.tail)) throw new CliError('usage', '--tail takes a number of lines.');
    const { dataFolder } = await import('../../dev/dev-up.ts');
    const { printLogs } = await import('../../dev/logs.ts');
    await printLogs({
      folder: dataFolder(this.context, this.dataDir),
      ...(this.part === undefined ? {} : { part: this.part }),
      follow: this.follow,
      tail: Number(this.tail),
      stdout: this.context.stdout,
      interrupted: this.context.interrupted,
    });
    return 0;
  }
}
