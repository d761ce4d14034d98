import t from 'tap';
import { runLogLaws } from './run-log-laws.ts';

t.test('the log of a run in files', (t) => runLogLaws(t));
