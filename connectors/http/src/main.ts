import { runSource } from '@weir/connector-sdk';
import { httpSource, operatorEgress } from './http-source.ts';
import { sayRotated } from './say-rotated.ts';

const source = httpSource({ egress: () => operatorEgress(process.env), onRotated: sayRotated(process.stdout) });
process.exit(await runSource(source, process.argv.slice(2)));
