import { join } from 'node:path';
import t from 'tap';
import { runLogLaws } from './run-log-laws.ts';

t.test('the log of a run in files', (t) => runLogLaws(t, (folder) => ({ WEIR_RUN_LOG_DIR: join(folder, 'run-logs') })));
