import { LOOK_OFFER, runSource } from '@weir/connector-sdk';
import { filesSource, operatorEgress } from './files-source.ts';
import { folderBounds } from './folder-bounds.ts';

const operator = {
  egress: () => operatorEgress(process.env),
  bounds: () => folderBounds(process.env),
  looks: () => process.env[LOOK_OFFER.variable] === LOOK_OFFER.value,
};
process.exit(await runSource(filesSource(operator), process.argv.slice(2)));
