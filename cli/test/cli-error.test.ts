import { endpoint, permission } from '@weir/kernel/contract';
import t from 'tap';
import { errorOfProblem } from '../src/cli-error.ts';
import { errorText } from '../src/error-text.ts';

const hydrate = endpoint({
  ...{ id: 'x.hydrate', method: 'POST', path: '/x', summary: 'Hydrate', access: permission('x:write', 'viewer') },
});

t.test('faults of a statement → each with its line and column, where it has them', (t) => {
  const problem = {
    ...{ type: '/docs/errors/sql_refused', title: 'Refused', status: 422, detail: 'Two faults.', trace_id: 'abc' },
    ...{ code: 'sql_refused', faults: [{ code: 'function_refused', line: 2, column: 13 }, { code: 'too_complex' }] },
    errors: ['function_refused', 'too_complex'].map((code) => ({ pointer: '/sql', code })),
  };
  const text = errorText(
    errorOfProblem(problem, 'http://weir.test', hydrate, { sql: 'select\n  1 as one, read_csv(1)' }),
  );
  t.match(text, '  Line 2, column 13: function refused: `read_csv`\n  /sql: too complex\n');
  t.end();
});
