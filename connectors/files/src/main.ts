import { runSource } from '@weir/connector-sdk';
import { filesSource, operatorEgress } from './files-source.ts';

process.exit(await runSource(filesSource({ egress: () => operatorEgress(process.env) }), process.argv.slice(2)));
