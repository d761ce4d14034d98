import { runSource } from '@weir/connector-sdk';
import { httpSource, operatorEgress } from './http-source.ts';
import { sayRotated, sayWait } from './say-message.ts';

const { stdout } = process;
const source = httpSource({
  egress: () => operatorEgress(process.env),
  onWait: sayWait(stdout),
  onRotated: sayRotated(stdout),
});
process.exit(await runSource(source, process.argv.slice(2)));
