import { Type } from '@sinclair/typebox';

/** Where plugins and connectors may reach out to, as operators say it: every plugin that does declares both. */
export const egressVariables = {
  WEIR_EGRESS_ALLOW: Type.String({
    pattern: '^[0-9a-fA-F:./, ]*$',
    default: '',
    description:
      'Networks that are not public and that connectors and webhooks may reach all the same, such as 10.20.0.0/16',
  }),
  WEIR_EGRESS_PORTS: Type.String({
    pattern: '^[0-9, ]*$',
    default: '',
    description: 'Ports that connectors and webhooks may reach over HTTP beside 80 and 443',
  }),
};
