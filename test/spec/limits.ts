import type { LimitRow } from './rows.ts';

const CAPACITY = {
  file: 'workers/test/worker.test.ts',
  test: 'the capacity of a role has the defaults of the specification',
};

const CONTAINER = {
  file: 'connectors/runtime/test/create-options.test.ts',
  test: 'the engine is told exactly this, and nothing else',
};

/** Every limit that the specification names. */
export const limits: readonly LimitRow[] = [
  { name: 'source worker executor threads', value: '8 by default', owner: 'workers', proof: CAPACITY },
  { name: 'source worker activity slots', value: '8 by default', owner: 'workers', proof: CAPACITY },
  {
    name: 'activity slots never exceed executor threads',
    value: 'refused',
    owner: 'workers',
    proof: {
      file: 'workers/test/worker.test.ts',
      test: 'more activity slots than children are refused by name',
    },
  },
  { name: 'source worker workflow slots', value: '100 by default', owner: 'workers', proof: CAPACITY },
  { name: 'pollers per task type of the source worker', value: '5 by default', owner: 'workers', proof: CAPACITY },
  {
    name: 'characters of dataset id segments',
    value: '[A-Za-z0-9_]',
    owner: 'datasets',
    proof: {
      file: 'plugins/datasets/test/containment.test.ts',
      test: 'what parses as a dataset id prints as it was, and nothing else parses',
    },
  },
  {
    name: 'snapshot ids are 64-bit',
    value: 'exact as decimal strings',
    owner: 'datasets',
    proof: {
      file: 'plugins/datasets/test/datasets.test.ts',
      test: 'the numeric snapshot id has all its digits on the wire',
    },
  },
  {
    name: 'pipeline validation by the CLI',
    value: '600 seconds as example',
    owner: 'pipelines',
    proof: {
      file: 'cli/test/pipelines.test.ts',
      test: 'validating ends with 6 and names each fault with its step; it may take as long as it is given',
    },
  },
  { name: 'memory of a connector container', value: 'bounded', owner: 'connectors', proof: CONTAINER },
  { name: 'CPU of a connector container', value: 'bounded', owner: 'connectors', proof: CONTAINER },
  { name: 'PIDs of a connector container', value: 'bounded', owner: 'connectors', proof: CONTAINER },
  { name: 'tmpfs of a connector container', value: 'bounded', owner: 'connectors', proof: CONTAINER },
];
