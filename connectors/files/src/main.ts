import { runSource } from '@weir/connector-sdk';
import { filesSource } from './files-source.ts';

process.exit(await runSource(filesSource, process.argv.slice(2)));
