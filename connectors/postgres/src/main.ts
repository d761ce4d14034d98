import { runSource } from '@weir/connector-sdk';
import { postgresSource } from './postgres-source.ts';

process.exit(await runSource(postgresSource({ environment: process.env }), process.argv.slice(2)));
