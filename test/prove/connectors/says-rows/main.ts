import { runSource, type Source } from '@weir/connector-sdk';

const ROWS = 3;
const properties = { id: { type: 'integer' }, s: { type: 'string' } };

const source: Source = {
  spec: { connectionSpecification: { type: 'object' } },
  check: async () => undefined,
  discover: async () => ({
    streams: [{ name: 'rows', json_schema: { type: 'object', properties }, supported_sync_modes: ['full_refresh'] }],
  }),
  async read({ config, emit }) {
    for (let id = 0; id < ROWS; id += 1) await emit.record({ id, s: (config as { note: string }).note });
  },
};

process.exit(await runSource(source, process.argv.slice(2)));
