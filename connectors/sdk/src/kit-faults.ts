import type { FailureOrigin, FailureType } from './protocol.ts';

/** One way in which a connector fails, as its `faults.json` lists it by code; no text holds a value. */
export interface Fault {
  readonly type: FailureType;
  readonly origin: FailureOrigin;
  readonly message: string;
  readonly hint: string;
}

/** What any program of this kit fails with. The bridge to Singer taps has no pattern of its own, so its codes are here. */
export const KIT_FAULTS = {
  connector_internal_error: {
    type: 'system_error',
    origin: 'source',
    message: 'The connector broke in a way it does not know',
    hint: 'Look into the log of the run; tell whoever makes the connector.',
  },
  config_unreadable: unreadable('configuration'),
  catalog_unreadable: unreadable('catalog'),
  state_unreadable: unreadable('state'),
  tap_missing: {
    type: 'system_error',
    origin: 'source',
    message: 'The image has no such tap',
    hint: 'The word after the bridge in the ENTRYPOINT names the program of a tap.',
  },
  tap_discovery_failed: {
    type: 'config_error',
    origin: 'config',
    message: 'The tap cannot discover its streams',
    hint: 'The log of the tap says why.',
  },
  tap_catalog_invalid: {
    type: 'system_error',
    origin: 'source',
    message: 'What the tap printed is no catalog',
    hint: 'The log of the tap says why.',
  },
  tap_failed: {
    type: 'system_error',
    origin: 'source',
    message: 'The tap ended before it was done',
    hint: 'The log of the tap says why.',
  },
  tap_sends_batches: {
    type: 'config_error',
    origin: 'config',
    message: 'The tap hands over files instead of records',
    hint: 'Turn batches off in the configuration of the tap.',
  },
} as const satisfies Record<string, Fault>;

function unreadable(what: string): Fault {
  return {
    type: 'system_error',
    origin: 'source',
    message: `The ${what} file that the connector was given cannot be read`,
    hint: 'Start it again; if it goes on, tell whoever makes the connector.',
  };
}
