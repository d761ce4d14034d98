import { endpoint, permission } from '@weir/kernel/contract';
import t from 'tap';
import { errorOfProblem, errorText } from '../src/cli-error.ts';

const hydrate = endpoint({
  ...{ id: 'x.hydrate', method: 'POST', path: '/x', summary: 'Hydrate', access: permission('x:write', 'viewer') },
});

t.test('faults of a statement → each with its line and column, where it has them', (t) => {
  const problem = {
    ...{ type: '/docs/errors/sql_refused', title: 'Refused', status: 422, detail: 'Two faults.', trace_id: 'abc' },
    ...{ code: 'sql_refused', faults: [{ code: 'function_refused', line: 2, column: 13 }, { code: 'too_complex' }] },
    errors: ['function_refused', 'too_complex'].map((code) => ({ pointer: '/sql', code })),
  };
  const text = errorText(errorOfProblem(problem, 'http://weir.test', hydrate, false));
  t.match(text, '  /sql, line 2, column 13: function_refused\n  /sql: too_complex\n');
  t.end();
});
