import { runQuery } from '@weir/plugin-transforms/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { readWhole } from '../../document.ts';
import { rowsOf } from './datasets.ts';

/** Rows of a SELECT over the datasets of the tenant. */
export class Sql extends WeirCommand {
  static override paths = [['sql']];
  static override usage = Command.Usage({
    category: 'Datasets',
    description: runQuery.summary,
    examples: [
      [
        'The mean by group',
        'weir sql "select weather, avg(temp_max) as mean from bronze.demo.vega__seattle_weather group by weather order by mean"',
      ],
      ['A statement in a file, its rows as CSV', 'weir sql -f report.sql -o csv --limit 10000'],
    ],
  });

  statement = Option.String({ name: 'statement', required: false });
  file = Option.String('-f,--file', { description: 'Read the statement from a file, or from stdin for -' });
  limit = Option.String('--limit', { description: 'How many rows at most' });

  async execute(): Promise<number> {
    const sql = await this.sql();
    const api = await this.api();
    const limit = this.limit === undefined ? {} : { limit: Number(this.limit) };
    const found = await api.call(runQuery, { body: { sql, ...limit } });
    const columns = found.columns.map(({ name }) => name);
    if (this.format() === 'json' || this.format() === 'yaml') await this.show(found);
    else await this.show(rowsOf(found), { columns, isData: true });
    if (found.truncated && this.format() === 'table') this.note('there are more rows: raise --limit, or filter');
    return 0;
  }

  private async sql(): Promise<string> {
    if ((this.statement === undefined) === (this.file === undefined)) {
      throw new CliError('usage', 'Give one statement, or --file.', { hint: 'weir sql "select 1 as one"' });
    }
    return this.statement ?? (await readWhole(this.file ?? '-', this.context.stdin));
  }
}
